/*
 * The lines of a text by their numbers, found fast in any order.
 */
#pragma once

#include "arena.h"

struct source_lines {
	struct span text;
	struct span *lines; /* NULL: not yet looked */
	size_t count;
};

/** How many lines `text` has; one without an end counts. */
size_t source_lines_count(struct span text);

/**
 * The line with that number, starting at 1, without "\n" or "\r\n". They are found when it is
 * first called, and lie in `arena`. Returns 0, -ENOENT when there is no such line, or -ENOMEM.
 */
int source_lines_get(
	struct source_lines *lines, size_t number, struct arena *arena, struct span *ret);

/** The line at the start of *rest, without its end; *rest moves behind it. False: no more. */
bool source_line_next(struct span *rest, struct span *ret);
