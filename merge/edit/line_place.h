/*
 * The places where the pairs and sections of a text of lines are written. A section may have
 * several headers, and a key several pairs. Functions that return an int return 0 or -ENOMEM.
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

/** Finds the sections that are called `name`. */
int line_place_find_sections(
	const struct line_editor *editor, const struct node *name, struct line_places *ret);

/** Finds the extents that make up the section, one for each header. The root has one extent. */
int line_place_find_parts(const struct line_editor *editor, const struct line_section *section,
	struct line_places *ret);

/** Finds the pairs of `key` in the section; if `key` is NULL, the pairs of all keys. */
int line_place_find_pairs(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, struct line_places *ret);
