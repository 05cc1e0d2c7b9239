/*
 * The reader and the writer of text in sections, for INI, systemd's dialect of INI, and keyfiles:
 *
 *      key = value       in the root map, if the format allows it
 *
 *      [section]         a map in the root
 *      key = value       in that map
 *
 * If a section's header comes again, the section continues.
 */
#pragma once

#include "line.h"

struct section_reader {
	struct line_reader lines;
	bool has_root;
	unsigned depth; /* the section's depth, in nested maps and lists; 0: no section yet */
	const struct fold *fold; /* of the sections' names; NULL: none */
};

/** Opens the root, unless it is open. Returns 0, PROBLEM at a limit, or -ENOMEM. */
int section_open_root(struct section_reader *reader);

/**
 * Ends the section and begins the section `name`, a part of the current line. With `is_item`, the
 * new section is an item of the list of that name. Returns 0, PROBLEM at a limit, or -ENOMEM.
 */
int section_open(struct section_reader *reader, struct span name, bool is_item);

/** Ends the section: the following keys are in the root. Returns 0, PROBLEM or -ENOMEM. */
int section_leave(struct section_reader *reader);

/** Ends the section and the root. Returns 0, PROBLEM or -ENOMEM. */
int section_close(struct section_reader *reader);

/**
 * Finds the section's name: `line` begins with "[", and the name ends at the next "]". *rest is the
 * text behind that. Returns 0, or PROBLEM if the "]" is missing.
 */
int section_name(
	const struct section_reader *reader, struct span line, struct span *ret, struct span *rest);

/* How a format of sections is written. */
struct section_style {
	const char *name; /* of the format, in messages */
	/* the remedy for a key before the sections, for the message; NULL: keys may stand there */
	const char *root_keys;
	const char *not_in_name; /* characters that a section's name can't contain, besides "\n" */
	/* Returns what else is wrong with a name; NULL: nothing. May be NULL. */
	const char *(*name_fault)(struct span name);
	bool has_lists;          /* a section may be a list of maps, written once for each */
	const struct fold *fold; /* of the sections' names; NULL: none */

	/* Writes the lines for a key and its value. Returns 0, PROBLEM or -ENOMEM. */
	int (*put)(struct writer *writer, const struct pair *pair);
};

/** See struct format's write(). */
int section_write(
	struct writer *writer, const struct node *root, const struct section_style *style);

/**
 * Refuses a key that the reader would not read as this key: an empty one, one with a character of
 * `not_in`, or one that begins with a character of `not_first`. Returns 0 or PROBLEM.
 */
int section_check_key(const struct writer *writer, const struct node *key, const char *name,
	const char *not_in, const char *not_first);
