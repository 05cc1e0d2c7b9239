/*
 * The report of a mount, .plyfs/status, and functions that read it. Another version of plyfs may
 * have written it, so any field may be missing. Another user may have mounted, so texts are
 * escaped.
 */
#pragma once

#include "node.h"

/** Returns the value at the keys `name`, `inner` (NULL: only `name`); NULL: there is none. */
const struct node *report_get(const struct node *map, const char *name, const char *inner);

/** Returns a scalar's text; "" if it is missing, null or no scalar. */
const char *report_text(const struct node *node);

/** Returns a number; 0 for anything else. */
double report_number(const struct node *node);

/** Returns the length of a list; 0 for anything else. */
uint32_t report_count(const struct node *list);

/** Prints the text to standard output, with the terminal's control characters escaped. */
void report_print(const char *text);

/**
 * Prints the line "  sandbox     Landlock on (version 7), seccomp on, no_new_privs on, capabilities
 * lease"; its values begin at column `indent`. `sandbox` NULL: prints nothing.
 */
void report_print_sandbox(int indent, const struct node *sandbox);
