/*
 * A writer of JSON, piece by piece (RFC 8259). The input may be hostile, and the output may reach a
 * terminal, so characters that control a terminal are escaped.
 *
 * The stream is written without its lock (unlocked_stdio(3)).
 */
#pragma once

#include <stdio.h>

#include "node.h"
#include "problem.h"

/** Writes a string. Bytes that are not UTF-8, which a file's name may hold, become U+FFFD. */
void json_put_span(FILE *out, struct span text);
void json_put_string(FILE *out, const char *text);

/**
 * Does printf(3) for JSON, as in "{'path': %s, 'line': %u}". %s writes a string, or null for NULL.
 * %hhd writes a bool. %d, %ld, %lld, %u, %lu, %llu, %zu and %.0f write numbers. There is no other
 * conversion. An apostrophe in `format` becomes a quotation mark.
 */
__attribute__((format(printf, 2, 3))) void json_put(FILE *out, const char *format, ...);

/**
 * Writes `before`, such as ", \"layer\": ", unchanged. Then writes `text` as a JSON string, or null
 * for NULL.
 */
void json_put_field(FILE *out, const char *before, const char *text);

/** Writes the fields "source", "line", "column", "message", and if known "place" and "program". */
void json_put_problem(FILE *out, const struct problem *problem);

/** Writes a map's key as a string, with its text as it stands in the source. */
void json_put_key(FILE *out, const struct node *key);

/**
 * Writes a value. A number that JSON can't express is written as a string. `arena` is for converted
 * numbers. Returns 0 or -ENOMEM.
 */
int json_put_value(FILE *out, const struct node *value, struct arena *arena);

/**
 * Writes a scalar, as json_put_value() does. Sets *says_all to false if the JSON differs from the
 * text in the source, as for 0644 or yes; else to true.
 */
int json_put_scalar(FILE *out, const struct node *scalar, struct arena *arena, bool *says_all);
