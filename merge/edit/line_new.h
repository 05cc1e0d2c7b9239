/*
 * New text for an edit of lines. A sample is the text that the format's own writer produces. A
 * manner is how the pairs beside the new text are written.
 */
#pragma once

#include "line_place.h"

/* A tree as the format writes it, with the extents of its parts. */
struct line_sample {
	struct span text;
	struct document *document;
};

void line_sample_fini(struct line_sample *sample);

/**
 * Writes one pair, under the header of its section, by edit_sample(). *ret must be all zero before.
 * In each case, call line_sample_fini().
 */
int line_sample_pair(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, const struct node *value, struct line_sample *ret);

/** Finds all pairs of a sample with at most one section. Returns 0 or -ENOMEM. */
int line_sample_pairs(const struct line_editor *editor, const struct line_sample *sample,
	struct line_places *ret);

/* The separator of a key and its value: "=" or ":" with blanks, or blanks alone. */
struct line_separator {
	char c; /* '\0': there is none, or only blanks */
	bool is_blank_before;
	bool is_blank_after;
	bool is_missing; /* no separator at all, and so no value */
};

/** Returns the separator of a pair in `text`. */
struct line_separator line_separator_of(struct span text, const struct extent *pair);

/** Writes the separator. If there is no value, no blank follows the separator. */
void line_separator_put(struct output *output, struct line_separator separator, bool has_value);

/**
 * If a reader would split the pair at a "=" or ":" in the key or the value, changes the separator
 * to "=".
 */
void line_separator_check(const struct line_editor *editor, struct span key, struct span value,
	struct line_separator *separator);

/* How a pair is written. */
struct line_manner {
	struct span prefix; /* the text before the key, on the key's line */
	struct span indent; /* of a value's lines after the first */
	struct line_separator separator;
	bool has_separator;
	char quote; /* '\0': none */
};

/**
 * Sets the manner to that of the pair. If the pair has no separator, manner->separator does not
 * change; if the pair has no quotes, manner->quote does not change.
 */
void line_manner_set(
	const struct line_editor *editor, const struct extent *pair, struct line_manner *manner);

/** Returns the manner of the section's last pair; for an empty section, that of another pair. */
struct line_manner line_manner_of(
	const struct line_editor *editor, const struct line_section *section);

/** Writes a sample's value, with the indents and the quotes of the manner. */
void line_new_put_value(const struct line_editor *editor, struct output *output, struct span value,
	const struct line_manner *manner);

/** Writes the line, or lines, of a sample's pair. */
void line_new_put_pair(const struct line_editor *editor, struct output *output,
	const struct line_sample *sample, const struct extent *pair,
	const struct line_manner *manner);
