/* The faults of a mount, printed for people. A `report` is the mount's status (report.h). */
#pragma once

#include "node.h"

/**
 * Counts the faults of files, plyfs.yaml, mirrors, change hooks and processes; layers that do not
 * answer; files that a rendered tree can't write; and check commands that can't be run, if files
 * are shown without their check. Adds 1 if changes in the mount do not reach watchers.
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
 * `mountpoint`. Below a fault, prints the faulty line of the source, as the line is now, if this
 * process may read the source.
 */
void fault_list_print(const char *mountpoint, const struct node *report);
