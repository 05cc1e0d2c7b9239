/*
 * The troubles of a mount, for people: what is wrong, where, since when, and what is served.
 */
#pragma once

#include "node.h"

/**
 * How many: files, plyfs.yaml, mirrors and what they tell, commands after changes, programs that
 * check and are not there, and processes of the mount.
 */
double trouble_list_count(const struct node *report);

/** Whether a command that is run after changes failed the last time. */
bool trouble_list_notice_has_failed(const struct node *notice);

/** A line for each program that checks and is not there. */
void trouble_list_print_unchecked(const struct node *report);

/**
 * Prints to standard output what the report (report.h) of the mount at `mountpoint` has of
 * files' troubles and of plyfs.yaml's: each with its line as it is now, as far as this process may read the source.
 */
void trouble_list_print(const char *mountpoint, const struct node *report);
