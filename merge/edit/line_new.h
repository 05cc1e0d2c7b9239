/*
 * New text of the formats of lines, for what an edit adds: a sample is what the format's own writer
 * makes of it, and a manner how its neighbours are written.
 */
#pragma once

#include "line_place.h"

/* A tree as the format writes it, and where its parts stand. */
struct line_sample {
	struct span text;
	struct document *document;
};

/** Writes a tree as a text of its own. 0 with *ret, whose document is the caller's. */
int line_sample_make(
	const struct line_editor *editor, const struct node *tree, struct line_sample *ret);

void line_sample_fini(struct line_sample *sample);

/** A map of one pair. NULL: no memory. */
struct node *line_sample_map(
	const struct line_editor *editor, const struct node *key, const struct node *value);

/**
 * As the pair would stand in its section. Some formats have no pairs in front of the sections, and
 * what a key may be is the same in each.
 */
int line_sample_pair(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, const struct node *value, struct line_sample *ret);

/** The pairs of a sample, which has one key. */
int line_sample_pairs(const struct line_editor *editor, const struct line_sample *sample,
	struct line_places *ret);

/* What stands between a key and its value: "=" or ":" and blanks, or blanks alone. */
struct line_separator {
	char c; /* '\0': none, or blanks */
	bool is_blank_before;
	bool is_blank_after;
	bool is_missing; /* nothing at all, and so no value */
};

struct line_separator line_separator_of(struct span text, const struct extent *pair);

void line_separator_put(struct output *output, struct line_separator separator, bool has_value);

/** Where another "=" or ":" would be taken for it, the separator is "=". */
void line_separator_check(const struct line_editor *editor, struct span key, struct span value,
	struct line_separator *separator);

/* How a pair is written: as its neighbours. */
struct line_manner {
	struct span prefix; /* what stands in the line before the key */
	struct span indent; /* of the lines of a value but the first */
	struct line_separator separator;
	bool has_separator;
	char quote; /* '\0': none */
};

void line_manner_set(
	const struct line_editor *editor, const struct extent *pair, struct line_manner *manner);

/** That of the last pair in the section, or else of the last one of another. */
struct line_manner line_manner_of(
	const struct line_editor *editor, const struct line_section *section);

void line_new_put_value(const struct line_editor *editor, struct output *output, struct span value,
	const struct line_manner *manner);

/** The line, or lines, of a pair of a sample. */
void line_new_put_pair(const struct line_editor *editor, struct output *output,
	const struct line_sample *sample, const struct extent *pair,
	const struct line_manner *manner);
