/*
 * A line of an explanation: a text, its layer and place, and the rule that decided. Each part is
 * aligned with the same part of the line before.
 *
 *      server.port: 9090                       host    /etc/app.d/web/app.yaml:3:9
 *        lost  8080                            site    /etc/app/app.yaml:2:9        the later …
 */
#pragma once

#include <stdio.h>

#include "origin.h"
#include "store_place.h"

struct explain_line {
	FILE *out; /* written without its lock (fwrite_unlocked(3)) */
	bool is_coloured;
	const struct store_places *places; /* of the sources */

	/* private: */
	size_t layer_width;
	size_t place_width;
	size_t columns; /* width of the line so far, without colours */
};

/**
 * Widens the columns so that the layer and the place of `source` fit. A layer or place that is
 * wider than its column's maximum changes nothing.
 */
void explain_line_widen(struct explain_line *line, const struct source *source);

void explain_line_colour(struct explain_line *line, const char *sequence);

/**
 * Put a text on the line. _clean and _word take text without control characters. _shown escapes
 * control characters. _value writes a value, and cuts a long one.
 */
void explain_line_clean(struct explain_line *line, const char *text, size_t len);
void explain_line_word(struct explain_line *line, const char *word);
void explain_line_shown(struct explain_line *line, const char *text);
void explain_line_value(struct explain_line *line, const struct node *value);

/** Puts the layer and the name of `source`, without blanks before them. */
void explain_line_name(struct explain_line *line, const struct source *source);

/** Put a place. _source puts layer and name. _place adds the node's line and column, if known. */
void explain_line_source(struct explain_line *line, const struct source *source);
void explain_line_place(struct explain_line *line, const struct node *node);

/** Put the rule that decided. _why adds the place of why.by, unless that node is `value`. */
void explain_line_rule(struct explain_line *line, const char *rule);
void explain_line_why(struct explain_line *line, struct origin_why why, const struct node *value);

void explain_line_end(struct explain_line *line);
