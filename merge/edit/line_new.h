/*
 * The places where the pairs and sections of a text of lines are written, and new text for them.
 *
 * A section may have several headers, and a key several pairs. A sample is the text that the
 * format's own writer produces. A manner is how the pairs beside the new text are written.
 * Functions that return an int return 0 or -ENOMEM, if their comment says nothing else.
 */
#pragma once

#include "line_edit.h"
#include "text_lines.h"

struct line_editor {
	struct edit *edit;
	struct text_lines lines;
	const struct line_dialect *dialect;
	const struct extent *root; /* NULL: nothing is written yet */
};

/* A place for pairs: the root, all sections of one name, or only one section of that name. */
struct line_section {
	const struct node *name;   /* NULL: the root */
	const struct extent *only; /* NULL: all sections of that name */
};

/* Extents of pairs, or of sections, in the order of the text. */
struct line_places {
	const struct extent **items;
	uint32_t count;
	uint32_t capacity;
};

static inline struct span line_place_text(struct span text, size_t begin, size_t end)
{
	return (struct span){text.data + begin, end - begin};
}

bool line_place_is_section(const struct extent *extent);

/** Returns whether `extent` must stand behind sections, as MySQL's `!includedir` must. */
bool line_place_is_include(const struct extent *extent);

/** Appends `extent`, in memory of the edit's arena. */
int line_place_add(
	const struct line_editor *editor, struct line_places *places, const struct extent *extent);

/** Returns whether the pair has the key, or the section has the name. */
bool line_place_has_key(const struct extent *extent, const struct node *key);

/** Finds the sections of that name. */
int line_place_find_sections(
	const struct line_editor *editor, const struct node *name, struct line_places *ret);

/** Finds the extents that make up the section, one for each header. The root has one extent. */
int line_place_find_parts(const struct line_editor *editor, const struct line_section *section,
	struct line_places *ret);

/** Finds the pairs of `key` in the section; if `key` is NULL, the pairs of all keys. */
int line_place_find_pairs(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, struct line_places *ret);

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
