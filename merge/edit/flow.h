/*
 * Entries between brackets, as JSON has them and YAML where it is not in blocks: how one is put in,
 * and how one is taken out, with its comma and its line.
 */
#pragma once

#include "editor.h"

struct flow {
	struct edit *edit;
	bool is_yaml; /* comments begin with "#"; else with "//", or stand between slashes and stars
		       */
};

/* How the first entry of an empty collection is laid out. */
struct flow_layout {
	bool is_lines;      /* each entry has a line */
	struct span indent; /* of an entry's line */
	struct span base;   /* of the closing bracket's line */
	struct span pad;    /* inside of the brackets on one line: "" or " " */
	struct span gap;    /* behind a comma on one line, where no neighbour shows it */
};

/** The offset behind all blanks, line breaks and comments. */
size_t flow_skip(const struct flow *flow, size_t offset);

/** Whether only blanks stand before it on its line. */
bool edit_is_first_on_line(const struct edit *edit, size_t offset);

/** The blanks with which its line begins. */
struct span edit_indent(const struct edit *edit, size_t offset);

/** Whether a line ends within the range. */
bool edit_has_lines(const struct edit *edit, struct range range);

/** The bracket of the collection, behind its tag. */
size_t flow_open(const struct flow *flow, const struct extent *in);

/** Puts `item` before the entry at `index`, or at the end. 0 or -ENOMEM. */
int flow_insert(const struct flow *flow, const struct extent *in, uint32_t index, struct span item,
	const struct flow_layout *layout);

/** Takes out what the step leads to: of a key, all of its pairs. 0 or -ENOMEM. */
int flow_remove(const struct flow *flow, const struct extent *in, const struct edit_step *step);

/** Whether the step leads to the entry, which is number `i`. */
bool edit_is_entry(const struct extent *entry, uint32_t i, const struct edit_step *step);

/** The texts, joined, in the edit's arena. NULL: no memory, as where one of them is missing. */
char *edit_join(const struct edit *edit, const struct span *parts, size_t count, size_t *len);

/** As edit_splice(), of several texts in a row. */
int edit_splice_all(struct edit *edit, struct range range, const struct span *parts, size_t count);
