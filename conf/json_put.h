/*
 * A writer of JSON (RFC 8259), piece by piece. Characters that control a terminal are escaped. The
 * stream is written without its lock (unlocked_stdio(3)).
 */
#pragma once

#include <stdio.h>

#include "format.h"
#include "node.h"
#include "problem.h"

/* A text that is being written. The caller may write to `file` only what ends with no bracket. */
struct json {
	FILE *file;
	char last; /* the last byte of a format or value; 0: none yet */
};

/* A writer that goes on in a stream, behind anything but an opening bracket. */
#define JSON(stream) (&(struct json){.file = (stream)})

/** Writes a string. Bytes that are not UTF-8 become U+FFFD. */
void json_put_span(struct json *out, struct span text);
void json_put_string(struct json *out, const char *text);

/**
 * Does printf(3) for JSON, as in "{'path': %s, 'line': %u}". %s writes a string, or null for NULL.
 * %hhd writes a bool. %d, %ld, %lld, %u, %lu, %llu, %zu and %.0f write numbers. There is no other
 * conversion. An apostrophe in `format` becomes a quotation mark.
 *
 * A comma right behind an opening bracket is left out, with the blank after it: each element of a
 * list or object may begin with one. So is a line end, with its blanks, between two brackets: a
 * list that ends with "\n]" is "[]" if it is empty.
 */
__attribute__((format(printf, 2, 3))) void json_put(struct json *out, const char *format, ...);

/** Writes the fields "source", "line", "column", "message"; "place" and "program" if known. */
void json_put_problem(struct json *out, const struct problem *problem);

/** Writes a map's key as a string. The text of a scalar is not converted: 0644 becomes "0644". */
void json_put_key(struct json *out, const struct node *key);

/**
 * Writes a value as JSON. `format` is that of the file with the value; NULL: any format with types.
 * In a format that has only texts, a number or boolean is a string, even if its source is YAML. If
 * JSON can't express a number, writes it as a string. Allocates converted numbers in `arena`.
 * Returns 0 or -ENOMEM.
 */
int json_put_value(struct json *out, const struct node *value, const struct format *format,
	struct arena *arena);

/**
 * Does json_put_value() for a scalar. *says_all is false if the JSON differs from the text in the
 * source, as for 0644 or yes.
 */
int json_put_scalar(struct json *out, const struct node *scalar, const struct format *format,
	struct arena *arena, bool *says_all);
