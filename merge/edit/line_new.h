/*
 * The places of pairs and sections in a text of lines, and new text for them.
 *
 * A text may have several sections of one name, and several pairs of one key. A sample is text that
 * the format's own writer makes. A manner is how existing pairs are written. An int result is 0 or
 * -ENOMEM.
 */
#pragma once

#include "format/ini_dialect.h"
#include "text_lines.h"

struct line_editor {
	struct edit *edit;
	struct text_lines lines;
	const struct extent *root; /* NULL: the text has no pair or section */
};

/** Returns the dialect of INI; NULL: the format is not INI. */
static inline const struct ini_dialect *line_editor_ini(const struct line_editor *editor)
{
	return editor->edit->options->format->dialect;
}

/* A place for pairs: the root, or the sections of one name. */
struct line_section {
	const struct node *name;   /* NULL: the root */
	const struct extent *only; /* one section of that name; NULL: all */
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

/** Returns whether `extent` is a directive such as MySQL's `!includedir`. */
bool line_place_is_include(const struct extent *extent);

/**
 * Returns the part that follows `before` in the section; if `before` is NULL, the first part.
 * NULL: there is none. A part is the extent of one header, with the pairs below it. The root is a
 * single part.
 */
const struct extent *line_place_next_part(const struct line_editor *editor,
	const struct line_section *section, const struct extent *before);

/**
 * Sets *ret to section `i` (from 0) of the sections named `name`; NULL: there are fewer. Returns
 * the number of these sections. Allocates nothing: an edit of a list may call it for each item.
 */
uint32_t line_place_find_item(const struct line_editor *editor, const struct node *name, uint32_t i,
	const struct extent **ret);

/** Finds the pairs of `key` (NULL: of all keys) in the section. */
int line_place_find_pairs(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, struct line_places *ret);

/* A sample: its text, and the document that was read from the text, with extents. */
struct line_sample {
	struct span text;
	struct document *document;
	struct line_places pairs; /* in `text` */
};

void line_sample_fini(struct line_sample *sample);

/**
 * Writes one pair, under the header of its section, as a sample. *ret must be all zero. Call
 * line_sample_fini() even after a failure.
 */
int line_sample_pair(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, const struct node *value, struct line_sample *ret);

/* The separator of a key and its value: "=" or ":" with blanks, or blanks alone. */
struct line_separator {
	char c;             /* ' ': blanks alone; '\0': no separator, and so no value */
	const char *before; /* " " or "" */
	const char *after;
};

/** Returns whether the value has a newline, and nothing but blanks before the newline. */
bool line_begins_below(struct span value);

/** Returns the separator of a pair in `text`. */
struct line_separator line_separator_of(struct span text, const struct extent *pair);

/** Writes the separator. Leaves out the blank after it if no value follows in the line. */
void line_separator_put(struct output *output, struct line_separator separator, struct span value);

/** Makes the separator "=" if readers would mistake a "=" or ":" in the key or value for it. */
void line_separator_check(const struct line_editor *editor, struct span key, struct span value,
	struct line_separator *separator);

/* How a pair is written. */
struct line_manner {
	struct span prefix; /* the text before the key, on the key's line */
	struct span indent; /* of a value's lines after the first */
	struct line_separator separator;
	char quote; /* '\0': none */
};

/**
 * Sets the manner to that of the pair. If the pair has no separator, the manner keeps its own
 * separator. If the pair has no quotes, the manner keeps its own quotes.
 */
void line_manner_set(
	const struct line_editor *editor, const struct extent *pair, struct line_manner *manner);

/** Returns the manner of the section's last pair; if it has no pair, of a pair elsewhere. */
struct line_manner line_manner_of(
	const struct line_editor *editor, const struct line_section *section);

/** Writes a sample's value in the manner. */
void line_new_put_value(const struct line_editor *editor, struct output *output, struct span value,
	const struct line_manner *manner);

/** Writes a sample's pair, with its line breaks, in the manner. */
void line_new_put_pair(const struct line_editor *editor, struct output *output,
	const struct line_sample *sample, const struct extent *pair,
	const struct line_manner *manner);
