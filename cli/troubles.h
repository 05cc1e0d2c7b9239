/*
 * The troubles of a mount, for people: what is wrong, where, since when, and what is served.
 */
#pragma once

#include "node.h"

/** How many files, and plyfs.yaml, have a trouble. */
double troubles_of_files(const struct node *report);

/** Of what else is wrong: mirrors and their troubles, commands after changes, the publisher. */
double troubles_of_others(const struct node *report);

/**
 * Prints to standard output what the report (report.h) of the mount at `mountpoint` has of
 * troubles: each with its line as it is now, as far as this process may read the source.
 */
void troubles_print(const char *mountpoint, const struct node *report);
