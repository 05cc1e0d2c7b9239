/*
 * Blame's authors: for lines of a layer that mirrors git, the author of the commit that last
 * changed the line. The history of a file is read when its first line is printed.
 */
#pragma once

#include "line_author.h"
#include "line_origin.h"
#include "store_place.h"

struct blame_file;

/* The caller sets `places`; all other members begin as zero. */
struct blame_authors {
	const struct store_places *places;
	struct blame_file *files;
	size_t count;
	size_t capacity;
};

/**
 * Returns the author of the line. NULL: the line is not from git, or its author can't be found; the
 * latter is reported once for each file. The author lives until blame_authors_fini().
 */
const struct line_author *blame_author(struct blame_authors *authors, const struct line *line);
void blame_authors_fini(struct blame_authors *authors);
