/*
 * Blame's authors: who has changed the lines of layers that are mirrors of git. A repository is
 * asked when the first of its lines is told.
 */
#pragma once

#include "line_author.h"
#include "line_origin.h"
#include "store_place.h"

struct blame_file;

/* All zero, but for `places`: nobody was asked for yet. */
struct blame_authors {
	const struct store_places *places;
	struct blame_file *files;
	size_t count;
	size_t capacity;
};

/** Who has changed it; NULL: it is not of git, or that can't be told, which a message says once. */
const struct line_author *blame_author(struct blame_authors *authors, const struct line *line);
void blame_authors_fini(struct blame_authors *authors);
