/*
 * The troubles of a mount, for people: what is wrong, where, since when, and what is served.
 */
#pragma once

#include "node.h"

/**
 * Prints to standard output what the report (report.h) of the mount at `mountpoint` has of
 * troubles: each with its line as it is now, as far as this process may read the source.
 */
void troubles_print(const char *mountpoint, const struct node *report);
