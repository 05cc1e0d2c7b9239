/*
 * The lines of a text, for the readers of formats that are made of lines; and what such a format's
 * writer asks of a value.
 */
#pragma once

#include "extents.h"
#include "output.h"
#include "spelling.h"

struct line_reader {
	struct builder *builder;
	struct span line;  /* the one that is being read, without its end: "\n" or "\r\n" */
	uint32_t number;   /* of the line, starting at 1 */
	const char *next;  /* where the next one begins … */
	const char *end;   /* … unless it is here */
	struct extent *in; /* of what pairs stand in; NULL unless extents are wanted */
};

/** Space and tab, and what C counts to them besides the newline. */
static inline bool line_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}

struct span line_trim_start(struct span text);
struct span line_trim_end(struct span text);
struct span line_trim(struct span text);

/** A reader in front of the first line of `text`. */
struct line_reader line_begin(struct builder *builder, struct span text);

/** Whether there was one more line, which the reader is on now. */
bool line_next(struct line_reader *reader);

/** The place of a byte in the line. Costs as much as stands before it. */
struct place line_place(const struct line_reader *reader, const char *at);

/** The problem of that place. Returns PROBLEM. */
__attribute__((format(printf, 3, 4))) int line_problem(
	const struct line_reader *reader, const char *at, const char *format, ...);

/** Whether the text is UTF-8, but for NUL bytes. */
bool line_is_utf8(struct span text);

/** PROBLEM with the place where the text is not UTF-8, or has a NUL byte; else 0. */
int line_check_text(struct builder *builder, struct span text);

/** A scalar that is text, whatever it looks like. NULL: no memory. */
struct node *line_scalar(const struct line_reader *reader, struct span text, struct place place);

/** Adds line_scalar() to what is open. 0, PROBLEM (limit) or -ENOMEM. */
int line_add_scalar(struct line_reader *reader, struct span text, const char *at);

/** The same for a key, by its fold. */
int line_add_key(struct line_reader *reader, struct span text, const char *at, const struct fold *fold);

/** Opens the root map, whose first entry begins at `at`. 0, PROBLEM (limit) or -ENOMEM. */
int line_open_root(struct line_reader *reader, const char *at);

/** Closes it. 0, PROBLEM or -ENOMEM. */
int line_close_root(struct line_reader *reader);

/**
 * Notes the extent of the pair whose key and value were added last, which are these parts of the text,
 * with quotes. To be called only where extents are wanted: where reader->in is set. 0 or -ENOMEM.
 */
EXTENTS_RARE int line_note_pair(struct line_reader *reader, struct span key, struct span value);

/**
 * As builder->repeat, for formats whose later key counts, with a warning; a map goes on.
 */
int line_repeat(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again);

/* Writing. */

/**
 * The problem of a value that the format can't hold, at the value's place; of one that a merge
 * made, at the place of the first one in it. Returns PROBLEM.
 */
__attribute__((format(printf, 3, 4))) int line_refuse(
	const struct writer *writer, const struct node *node, const char *format, ...);

/** What keeps the text from standing in a line, as in "a line break"; NULL: nothing does. */
const char *line_text_fault(struct span text);

/** The same where blanks at its ends would be lost. */
const char *line_fault(struct span text);

/**
 * PROBLEM for a root or section that is no map, and for two keys that are the same text; else 0, or
 * -ENOMEM. `name` is the format's.
 */
int line_check_map(const struct writer *writer, const struct node *map, const char *name);

/** PROBLEM for a value that is no scalar. `remedy` says what to do with a list. Else 0. */
int line_check_scalar(const struct writer *writer, const struct node *value, const char *name,
	const char *remedy);

/** Refuses a value with a tag that is not YAML's own: what it means would be lost. */
int line_check_tag(const struct writer *writer, const struct node *value, const char *name);

/** PROBLEM for null, in a format that has none. Else 0. */
int line_check_null(const struct writer *writer, const struct node *value, const char *name);
