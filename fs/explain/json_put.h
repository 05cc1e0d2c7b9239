/*
 * JSON, written piece by piece (RFC 8259). What goes in may be hostile and what comes out may end
 * up on a terminal: what would steer it is escaped.
 *
 * The stream must be locked by the caller, or his alone.
 */
#pragma once

#include <stdio.h>

#include "node.h"
#include "problem.h"

/** A string. Bytes that are not UTF-8, which a file's name may hold, come as U+FFFD. */
void json_put_span(FILE *out, struct span text);
void json_put_string(FILE *out, const char *text);

/** `before`, which is JSON already, such as ", \"layer\": ", then the string; NULL: null. */
void json_put_field(FILE *out, const char *before, const char *text);

/** The fields "source", "line", "column" and "message". */
void json_put_problem(FILE *out, const struct problem *problem);

void json_put_number(FILE *out, uint64_t number);

/** A map's key, as a string: its text as it is written. */
void json_put_key(FILE *out, const struct node *key);

/**
 * A value. What JSON has no number for becomes its text. `arena` is for converted numbers.
 * Returns 0 or -ENOMEM.
 */
int json_put_value(FILE *out, const struct node *value, struct arena *arena);

/** The same for a scalar. *says_all: its text as it is written says no more, as in 0644 or yes. */
int json_put_scalar(FILE *out, const struct node *scalar, struct arena *arena, bool *says_all);
