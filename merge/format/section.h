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
	unsigned depth; /* number of maps and lists that are open for the section; 0: no section */
	const struct fold *fold; /* of the sections' names (spelling.h); NULL: none */
};

/**
 * Ends the present section, if any, and begins the section `name`, a part of the current line. If
 * `is_item`, the section is an item of the list of that name. Returns 0, PROBLEM or -ENOMEM.
 */
int section_open(struct section_reader *reader, struct span name, bool is_item);

/** Ends the section: the following keys belong to the root. Returns 0, PROBLEM or -ENOMEM. */
int section_leave(struct section_reader *reader);

/** Ends the section and the root. Returns 0, PROBLEM or -ENOMEM. */
int section_close(struct section_reader *reader);

/**
 * Sets *ret to the section's name, between the "[" that begins `line` and the "]" at `end`, and
 * *rest to the trimmed text behind "]". Returns 0; PROBLEM: `end` is NULL, or the name is empty.
 */
int section_name(const struct section_reader *reader, struct span line, const char *end,
	struct span *ret, struct span *rest);

/* How a format of sections is written. */
struct section_style {
	const char *name; /* of the format, in messages */
	/* the remedy, in messages, for a key before all sections; NULL: keys may stand there */
	const char *root_keys;
	const char *not_in_name; /* characters that a section's name can't contain, besides "\n" */
	/* Returns any other fault of a section's name, or NULL. The member may be NULL. */
	const char *(*name_fault)(struct span name);
	bool has_lists;          /* a section may be a list of maps, each under the same header */
	const struct fold *fold; /* of the sections' names (spelling.h); NULL: none */

	/* Writes the lines for a key and its value. Returns 0, PROBLEM or -ENOMEM. */
	int (*put)(struct writer *writer, const struct pair *pair);
};

/** See struct format's write(). */
int section_write(
	struct writer *writer, const struct node *root, const struct section_style *style);

/**
 * Refuses a key that would be read back as another key, or not at all: an empty key, a key with a
 * line_fault(), a "\r" or a character of `not_in`, or a key that begins with a byte order mark or a
 * character of `not_first`. `name` is the format's name, for messages. Returns 0 or PROBLEM.
 */
int section_check_key(const struct writer *writer, const struct node *key, const char *name,
	const char *not_in, const char *not_first);
