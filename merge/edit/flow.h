/* Edits of entries between brackets, as in JSON, TOML and YAML's flow style. */
#pragma once

#include "editor.h"

/* The layout of a new entry if the collection's entries show none. */
struct flow_layout {
	struct span indent; /* of an entry's line */
	/* the indent of the closing bracket's line, if each entry has a line of its own; else its
	 * data is NULL */
	struct span base;
	struct span pad; /* inside the brackets on one line: "" or " " */
	struct span gap; /* behind a comma, between two entries on one line: "" or " " */
};

/**
 * Returns where the comments of an entry begin. If the entry has none, returns `begin`, where the
 * entry's own line begins. The comments are the comment lines directly above the entry, with the
 * same indentation, from the line at `floor` on. If the entry is not the first of its collection,
 * these lines count only if a blank line is directly above them.
 */
size_t flow_comments_above(const struct edit *edit, size_t begin, size_t floor, bool is_first);

/** Returns whether only blanks stand before `offset` on its line. */
bool edit_is_first_on_line(const struct edit *edit, size_t offset);

/** Returns the blanks at the beginning of the line that contains `offset`. */
struct span edit_indent(const struct edit *edit, size_t offset);

/** Returns whether a line ends within the range. */
bool edit_has_lines(const struct edit *edit, struct range range);

/** Returns the offset of the collection's opening bracket. A tag and an anchor may precede it. */
size_t flow_open(const struct edit *edit, const struct extent *in);

/**
 * Inserts `count` items, each separated as its neighbours are, before the entry at `index`; if
 * there is no such entry, at the end. Returns 0 or -ENOMEM.
 */
int flow_insert(struct edit *edit, const struct extent *in, uint32_t index,
	const struct span *items, uint32_t count, const struct flow_layout *layout);

/**
 * If the step has a key, removes all pairs of this key; if not, `count` entries from the step's
 * index on. Returns 0 or -ENOMEM.
 */
int flow_remove(
	struct edit *edit, const struct extent *in, const struct edit_step *step, uint32_t count);

/** Returns whether the step names `entry`, which has the index `i` in its collection. */
bool edit_is_entry(const struct extent *entry, uint32_t i, const struct edit_step *step);

/**
 * Joins `parts` to a text of *len bytes, in the edit's arena. Returns NULL if there is no memory,
 * or a part has a `len` but no `data` (its allocation failed).
 */
char *edit_join(const struct edit *edit, const struct span *parts, size_t count, size_t *len);

/** Replaces the range by a copy of the joined `parts`. Returns 0 or -ENOMEM. */
int edit_splice_all(struct edit *edit, struct range range, const struct span *parts, size_t count);
