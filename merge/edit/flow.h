/*
 * Edits of entries between brackets, as in JSON and in YAML's flow style: adds an entry, or removes
 * one with its comma and its line.
 */
#pragma once

#include "editor.h"

struct flow {
	struct edit *edit;
	/* true: comments are those of YAML (#); false: those of JSONC (slashes, with or without
	 * stars) */
	bool is_yaml;
};

/* How a new entry is laid out if the collection has no entries that show it. */
struct flow_layout {
	bool is_lines;      /* each entry has a line of its own */
	struct span indent; /* of an entry's line */
	struct span base;   /* the indent of the closing bracket's line */
	struct span pad;    /* inside the brackets on one line: "" or " " */
	struct span gap;    /* behind a comma, between two entries on one line: "" or " " */
};

/** Returns the offset after the blanks, line breaks and comments at `offset`. */
size_t flow_skip(const struct flow *flow, size_t offset);

/** Returns whether only blanks stand before `offset` on its line. */
bool edit_is_first_on_line(const struct edit *edit, size_t offset);

/** Returns the blanks at the beginning of the line that contains `offset`. */
struct span edit_indent(const struct edit *edit, size_t offset);

/** Returns whether a line ends within the range. */
bool edit_has_lines(const struct edit *edit, struct range range);

/** Skips the collection's tag and anchor. Returns the offset of its opening bracket. */
size_t flow_open(const struct flow *flow, const struct extent *in);

/**
 * Inserts `item` before the entry at `index`; if there is no such entry, after the last one. If
 * `in` is empty, `layout` says how `item` is laid out. If `in` has entries, but no two on one
 * line, layout->gap still applies. Returns 0 or -ENOMEM.
 */
int flow_insert(const struct flow *flow, const struct extent *in, uint32_t index, struct span item,
	const struct flow_layout *layout);

/** Removes the entry, or all pairs of the key, that the step leads to. Returns 0 or -ENOMEM. */
int flow_remove(const struct flow *flow, const struct extent *in, const struct edit_step *step);

/** Returns whether the step leads to `entry`, which has the index `i` in its collection. */
bool edit_is_entry(const struct extent *entry, uint32_t i, const struct edit_step *step);

/**
 * Joins `parts` to a text in the edit's arena, of *len bytes. Returns NULL if there is no memory,
 * or if a part has a `len` but no `data`, because its allocation failed.
 */
char *edit_join(const struct edit *edit, const struct span *parts, size_t count, size_t *len);

/**
 * Replaces the range by the joined `parts`, which need not outlive the call. Returns 0 or -ENOMEM.
 */
int edit_splice_all(struct edit *edit, struct range range, const struct span *parts, size_t count);
