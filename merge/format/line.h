/*
 * The lines of a text, for readers of formats that are made of lines; and the checks of values that
 * the writers of such formats share.
 */
#pragma once

#include "extent_note.h"
#include "output.h"
#include "spelling.h"

struct line_reader {
	struct builder *builder;
	struct span line; /* the current line, without its end: "\n" or "\r\n" */
	uint32_t number;  /* the line's number, starting at 1 */
	const char *next; /* where the next line begins */
	const char *end;  /* if `next` is here, there is no next line */
	/* the extent of the current section or of the root, to which the extents of its pairs are
	 * added; NULL unless extents are wanted */
	struct extent *in;
};

/** Returns whether `c` is a space, a tab or other white space of C, but not a newline. */
static inline bool line_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}

struct span line_trim_start(struct span text);
struct span line_trim_end(struct span text);
struct span line_trim(struct span text);

/** Makes a reader that stands before the first line of `text`. */
struct line_reader line_begin(struct builder *builder, struct span text);

/** Moves the reader to the next line. Returns false if there is none. */
bool line_next(struct line_reader *reader);

/** Returns the place of the byte `at` of the line. Takes time in proportion to its column. */
struct place line_place(const struct line_reader *reader, const char *at);

/** Reports a problem at the byte `at` of the line. Returns PROBLEM. */
#define line_problem(reader, at, ...)                                                              \
	builder_problem((reader)->builder, line_place(reader, at), __VA_ARGS__)

/** Returns whether the text is UTF-8. NUL bytes are allowed. */
bool line_is_utf8(struct span text);

/** Checks that the text is UTF-8 without NUL bytes. Returns 0, or PROBLEM with the place. */
int line_check_text(struct builder *builder, struct span text);

/** Makes a scalar that is always a string. Returns NULL when there is no memory. */
struct node *line_scalar(const struct line_reader *reader, struct span text, struct place place);

/**
 * Adds the string that line_scalar() makes of `text` to the open map or list. The string's place is
 * the byte `at` of the line. Returns 0, PROBLEM at a limit, or -ENOMEM.
 */
int line_add_scalar(struct line_reader *reader, struct span text, const char *at);

/** As line_add_scalar(), for a key, folded by `fold`. */
int line_add_key(
	struct line_reader *reader, struct span text, const char *at, const struct fold *fold);

/**
 * Opens the root map, whose first entry begins at `at`. Returns 0, PROBLEM at a limit, or -ENOMEM.
 */
int line_open_root(struct line_reader *reader, const char *at);

/** Closes the root map. Returns 0, PROBLEM or -ENOMEM. */
int line_close_root(struct line_reader *reader);

/**
 * Notes the extent of the pair that was added last. `key` and `value` are the parts of the text
 * that have the pair's key and value, with their quotes. Must be called only if extents are wanted
 * (reader->in is set). Returns 0 or -ENOMEM.
 */
EXTENT_NOTE_RARE int line_note_pair(struct line_reader *reader, struct span key, struct span value);

/**
 * See builder->repeat. If a key comes again, its later value counts, with a warning. A section that
 * comes again continues. A section with the name of a key is a problem.
 */
int line_repeat(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again);

/* Writing. `name` is the format's name, for messages. */

/** Reports a value that the format can't hold, at the value's place. Returns PROBLEM. */
#define line_refuse(writer, node, ...) problem_at((writer)->problem, line_source(node), __VA_ARGS__)

/** Returns the node whose place is the value's: if a merge made the value, its first entry. */
const struct node *line_source(const struct node *node);

/** Returns why the text can't stand in a line, for example "a line break"; NULL: it can. */
const char *line_text_fault(struct span text);

/** As line_text_fault(). Blanks at the text's ends are a fault, too, as the format loses them. */
const char *line_fault(struct span text);

/**
 * Checks that a root or section is a map, and that no two of its keys are the same text. Returns 0,
 * PROBLEM or -ENOMEM.
 */
int line_check_map(const struct writer *writer, const struct node *map, const char *name);

/**
 * Checks that a value is a scalar, and does line_check_tag(). If the value is a list, `remedy` ends
 * the message. Returns 0 or PROBLEM.
 */
int line_check_scalar(const struct writer *writer, const struct node *value, const char *name,
	const char *remedy);

/** Refuses a value whose tag is not YAML's own: the tag would be lost. Returns 0 or PROBLEM. */
int line_check_tag(const struct writer *writer, const struct node *value, const char *name);

/** Refuses null, in a format that has none. Returns 0 or PROBLEM. */
int line_check_null(const struct writer *writer, const struct node *value, const char *name);
