/*
 * Text in sections, which INI, systemd's dialect of it and keyfiles share:
 *
 *      key = value       in the root map, where the format has it
 *
 *      [section]         a map in the root
 *      key = value       in that map
 *
 * A section that comes again goes on.
 */
#pragma once

#include "line.h"

struct section_reader {
	struct line_reader lines;
	bool has_root;
	unsigned depth; /* maps and lists in each other that the section is: 0, there is none yet */
	const struct fold *fold; /* of the sections' names; NULL: none */
};

/** Opens the root, if that has not happened yet. 0, PROBLEM (limit) or -ENOMEM. */
int section_open_root(struct section_reader *reader);

/**
 * Ends the section and begins the one of that name, which stands in the line; `is_item`: as an item
 * of the list of that name. 0, PROBLEM (limit) or -ENOMEM.
 */
int section_open(struct section_reader *reader, struct span name, bool is_item);

/** Ends the section: what comes is in the root. 0, PROBLEM or -ENOMEM. */
int section_leave(struct section_reader *reader);

/** Ends the section and the root. 0, PROBLEM or -ENOMEM. */
int section_close(struct section_reader *reader);

/**
 * The name in the line, which begins with "[" and ends with the next "]": *ret. `rest` is what
 * stands behind that. PROBLEM for one without its end.
 */
int section_name(
	const struct section_reader *reader, struct span line, struct span *ret, struct span *rest);

/* How a format of sections is written. */
struct section_style {
	const char *name; /* of the format, in messages */
	const char
		*root_keys; /* NULL: keys may stand before the sections; else what to do instead */
	const char
		*not_in_name; /* characters that the name of a section can't hold, besides "\n" */
	const char *(*name_fault)(struct span name); /* what else is wrong with one; may be NULL */
	bool has_lists; /* a section may be a list of maps: it comes as often */
	const struct fold *fold; /* of the sections' names; NULL: none */

	/* The lines for a key and its value. 0, PROBLEM or -ENOMEM. */
	int (*put)(struct writer *writer, const struct pair *pair);
};

int section_write(
	struct writer *writer, const struct node *root, const struct section_style *style);

/**
 * PROBLEM for a key that would be read as something else: an empty one, one with a character of
 * `not_in` in it, or that begins with one of `not_first`. Else 0.
 */
int section_check_key(const struct writer *writer, const struct node *key, const char *name,
	const char *not_in, const char *not_first);
