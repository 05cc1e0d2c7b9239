/* Prints parts of a report (report.h) to standard output, for people. */
#pragma once

#include "report.h"

/** Prints the text with its control characters escaped. */
void report_print(const char *text);

/**
 * Prints `template` with the map's values in it: "{kind} {source}, {#files} files" is printed as
 * "etcd /fleet/, 3 files". "#" marks a number (report_number()); all other values are texts.
 */
void report_put(const struct node *map, const char *template);

/**
 * Prints the line "  sandbox     Landlock on (version 7), seccomp on, no_new_privs on, capabilities
 * lease"; its values begin at column `indent`. If `sandbox` is NULL, prints nothing.
 */
void report_print_sandbox(int indent, const struct node *sandbox);
