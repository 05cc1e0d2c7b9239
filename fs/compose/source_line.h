/*
 * The lines of a text by their numbers, found fast in any order.
 */
#pragma once

#include "arena.h"

struct source_lines {
	struct span text;
	struct span *lines; /* NULL: not split yet */
	size_t count;
};

/** Returns the number of lines; a last one without an end counts. */
size_t source_lines_count(struct span text);

/**
 * Gets the line with that number, starting at 1, without "\n" or "\r\n". The first call splits the
 * text; the lines lie in `arena`. Returns 0, -ENOENT: there is no such line, or -ENOMEM.
 */
int source_lines_get(
	struct source_lines *lines, size_t number, struct arena *arena, struct span *ret);

/** Takes the first line of *rest, without its end. Returns false if there is none. */
bool source_line_next(struct span *rest, struct span *ret);
