/*
 * A line of an explanation: what is told, then the layer and the place, then what decided, each
 * beneath that of the line before it.
 *
 *      server.port: 9090                       host    /etc/app.d/web/app.yaml:3:9
 *        lost  8080                            site    /etc/app/app.yaml:2:9        the later …
 */
#pragma once

#include <stdio.h>

#include "origin.h"
#include "store_place.h"

/* Sources as they are printed, kept by their rank. */
#define EXPLAIN_KNOWN_COUNT 8

struct explain_known {
	const struct source *source;
	char *text; /* "vendor  /usr/share/app/app.yaml" */
	size_t len;
	size_t columns;
};

struct explain_line {
	FILE *out; /* nobody else's */
	bool is_coloured;
	const struct store_places *places; /* of the sources */

	/* private: */
	size_t layer_width;
	size_t place_width;
	size_t columns; /* of the line so far; colours don't count */
	char buffer[1 << 14];
	size_t used; /* of the buffer */
	bool has_failed;
	struct explain_known known[EXPLAIN_KNOWN_COUNT];
};

/** Makes the columns wide enough for `source`, unless that would be too wide. */
void explain_line_widen(struct explain_line *line, const struct source *source);

void explain_line_colour(struct explain_line *line, const char *sequence);

/** What is told: text that does no harm as it is; a string that is; any string; a value. */
void explain_line_clean(struct explain_line *line, const char *text, size_t len);
void explain_line_word(struct explain_line *line, const char *word);
void explain_line_shown(struct explain_line *line, const char *text);
void explain_line_value(struct explain_line *line, const struct node *value);

/** A layer and its file, with no blanks before them. */
void explain_line_name(struct explain_line *line, const struct source *source);

/** Where it is: a source, or the place that `node` was read from, if any. */
void explain_line_source(struct explain_line *line, const struct source *source);
void explain_line_place(struct explain_line *line, const struct node *node);

/** What decided, and where that stands, unless it is `value`. */
void explain_line_rule(struct explain_line *line, const char *rule);
void explain_line_why(struct explain_line *line, struct origin_why why, const struct node *value);

void explain_line_end(struct explain_line *line);

/** Hands on to `out` what has been put, before it is used by others and at the end. */
void explain_line_flush(struct explain_line *line);

/** Before a source that was printed goes away. */
void explain_line_forget(struct explain_line *line, const struct source *source);

/** Returns 0, or -ENOMEM: then something is missing in what was put. */
int explain_line_fini(struct explain_line *line);
