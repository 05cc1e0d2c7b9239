/*
 * The report of a mount, .plyfs/status: what is in it, or nothing where it is another plyfs's and
 * has it not. Whoever mounted wrote it, so its texts are shown with care.
 */
#pragma once

#include "node.h"

/** What lies at the keys `name`, `inner` (NULL: only `name`); NULL for what it does not tell. */
const struct node *report_get(const struct node *map, const char *name, const char *inner);

/** A scalar's text; "" for what is missing, null or no scalar. */
const char *report_text(const struct node *node);

/** A number; 0 for anything else. */
double report_number(const struct node *node);

/** The length of a list; 0 for anything else. */
uint32_t report_count(const struct node *list);

/** Prints the text to standard output, with what could steer a terminal escaped. */
void report_print(const char *text);

/**
 * The line "  sandbox     Landlock on (version 7), seccomp on, no_new_privs on, capabilities lease";
 * its values begin at column `indent`. Nothing for NULL.
 */
void report_print_sandbox(int indent, const struct node *sandbox);
