/*
 * Blame's authors: the users that changed the lines of layers that are mirrors of git. A repository
 * is read when the first of its lines is printed.
 */
#pragma once

#include "line_author.h"
#include "line_origin.h"
#include "store_place.h"

struct blame_file;

/* All zero, except `places`: no author was asked for yet. */
struct blame_authors {
	const struct store_places *places;
	struct blame_file *files;
	size_t count;
	size_t capacity;
};

/**
 * Returns the author of the line. NULL: the line is not from git, or its author can't be found,
 * which is reported once.
 */
const struct line_author *blame_author(struct blame_authors *authors, const struct line *line);
void blame_authors_fini(struct blame_authors *authors);
