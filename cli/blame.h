/*
 * Blame: the lines of a merged file, each with its origin, as text or as a page for a browser.
 * Control characters and markup of the sources are escaped.
 */
#pragma once

#include <stdio.h>

#include "line_author.h"
#include "line_origin.h"
#include "settings.h"
#include "store_place.h"

struct blame_file;

/* The authors of lines. The caller sets `places`; all other members begin as zero. */
struct blame_authors {
	const struct store_places *places;
	struct blame_file *files;
	size_t count;
	size_t capacity;
};

struct blame {
	const char *path; /* relative to the root */
	const char *strategy;
	const struct settings *settings;
	mode_t mode; /* of the page's file, if it is new */
	const struct line_origins *lines;
	const struct store_places *places; /* the sources' places in stores */
	struct blame_authors *authors;
	const struct origins *origins; /* NULL: the file is a copy of one source */
};

/** Returns the rank of the layer that has `source`, or settings->layer_count if no layer does. */
size_t blame_layer(const struct blame *blame, const struct source *source);

/**
 * Returns the path of `source` in its layer; if the layer mirrors a store, the place in the store
 * (store_place.h); without a layer, source->name. It lives as long as `source` and blame->places.
 */
const char *blame_place(const struct blame *blame, const struct source *source);

/**
 * Returns the author of the commit that last changed the line; NULL: none is known. The author
 * lives as long as `authors`. If a file's history can't be read, prints one message for the file.
 */
const struct line_author *blame_author(struct blame_authors *authors, const struct line *line);

#define BLAME_COMMIT_WIDTH 12 /* characters of a commit's name, in the text and the page */

/**
 * Writes the page to `out`; the caller checks ferror(3). Returns 0 or -ENOMEM. After -ENOMEM the
 * page is incomplete.
 */
int blame_print_page(const struct blame *blame, FILE *out);
