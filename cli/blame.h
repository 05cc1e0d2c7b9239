/*
 * Blame: a merged file line by line, with where each line is from; told as text, as JSON, or as a
 * page for a browser. What is in the sources is hostile: no control character and no markup of
 * theirs reaches the reader.
 */
#pragma once

#include <stdio.h>

#include "blame_author.h"
#include "line_origin.h"
#include "settings.h"
#include "store_place.h"

struct blame {
	const char *path;     /* relative to the root */
	const char *strategy; /* its name */
	const struct settings *settings;
	const struct line_origins *lines;
	const struct store_places *places; /* of the sources */
	struct blame_authors *authors;
	const struct origins *origins; /* NULL: the file is a source itself */
};

/** The number of the layer that `source` is in, lowest first; settings->layer_count: of none. */
size_t blame_layer(const struct blame *blame, const struct source *source);

/** Where `source` is in its layer, which is told beside it, or in the store that this is a mirror of. */
const char *blame_place(const struct blame *blame, const struct source *source);

/* Characters of a commit, and bytes of an author, in what people read. */
#define BLAME_COMMIT_WIDTH 12
#define BLAME_AUTHOR_SIZE 32

/* Failures to write are found by ferror(3). */
void blame_print_text(const struct blame *blame, bool is_coloured, FILE *out);
void blame_print_json(const struct blame *blame, FILE *out);

/** Returns 0 or -ENOMEM: then something is missing. */
int blame_print_page(const struct blame *blame, FILE *out);
