/*
 * Blame's authors: for lines of a layer that mirrors git, the author of the commit that last
 * changed the line. The first call for a line of a file reads the file's history.
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
 * Returns the author of the line; the pointer is valid until blame_authors_fini(). NULL: the line
 * is not from git, or no author was found. If a file's history can't be read, reports that once.
 */
const struct line_author *blame_author(struct blame_authors *authors, const struct line *line);
void blame_authors_fini(struct blame_authors *authors);
