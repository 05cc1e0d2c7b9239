/* The lines of a text, by their numbers. */
#pragma once

#include "arena.h"

struct merge_request;
struct source;

struct source_lines {
	struct span text;   /* set by the caller */
	struct span *lines; /* NULL: not split yet */
	size_t count;
};

/** Returns the number of lines. A last line without "\n" counts. */
size_t source_lines_count(struct span text);

/**
 * Gets the line `number`, starting at 1, without "\n" or "\r\n". The first call splits lines->text,
 * in `arena`. Returns 0; -ENOENT: there is no such line; or -ENOMEM.
 */
int source_lines_get(
	struct source_lines *lines, size_t number, struct arena *arena, struct span *ret);

/** Takes the first line from *rest, without "\n" or "\r\n". Returns false if *rest is empty. */
bool source_line_next(struct span *rest, struct span *ret);

/**
 * Returns the lines of `source`. NULL: the request has no such input, or the input has no text.
 * `texts`, all zero before the first call, has one item for each input, in the same order.
 */
struct source_lines *source_lines_of(struct source_lines *texts,
	const struct merge_request *request, const struct source *source);
