/*
 * The faults of a mount, for people: each with its place, its time, and the content served instead.
 * A `report` is the mount's status (report.h).
 */
#pragma once

#include "node.h"

/**
 * Counts the faults of files, plyfs.yaml, mirrors, change hooks and the mount's processes; the
 * layers that do not answer; the files that a rendered tree can't write; and each check command
 * that can't be run, if files that it should judge are shown unchecked. A mount that can't notify
 * the kernel of changes counts as one more.
 */
double fault_list_count(const struct node *report);

/** Returns whether the file system of a layer does not answer. */
bool fault_list_layer_is_silent(const struct node *layer);

/** Returns whether the last run of a change hook failed. */
bool fault_list_hook_has_failed(const struct node *hook);

/** Prints a line for each check command that can't be run. */
void fault_list_print_unchecked(const struct node *report);

/**
 * Prints the faults of files and of plyfs.yaml to standard output. `report` is that of the mount at
 * `mountpoint`. If this process may read the source of a fault, also prints the source's line as it
 * is now.
 */
void fault_list_print(const char *mountpoint, const struct node *report);
