/* For formats that are made of lines: the lines of a text, and the writers' checks of values. */
#pragma once

#include "builder.h"
#include "output.h"
#include "spelling.h"

struct line_reader {
	struct builder *builder;
	struct span line;  /* the current line, without its end: "\n" or "\r\n" */
	uint32_t number;   /* the line's number, starting at 1 */
	const char *next;  /* where the next line begins */
	const char *end;   /* of the text */
	struct extent *in; /* extent of the current section or root; NULL: none is wanted */
};

/** Returns whether `c` is a space, a tab or other white space of C, but not a newline. */
static inline bool line_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}

struct span line_trim_start(struct span text);
struct span line_trim_end(struct span text);
struct span line_trim(struct span text);

/** Makes a reader before the first line of `text`. */
struct line_reader line_begin(struct builder *builder, struct span text);

/** Moves the reader to the next line. Returns false if there is none. */
bool line_next(struct line_reader *reader);

/** Returns the place of the byte `at` of the line, in time proportional to the byte's column. */
struct place line_place(const struct line_reader *reader, const char *at);

/** Reports a problem at the byte `at` of the line. Returns PROBLEM. */
#define line_problem(reader, at, ...)                                                              \
	builder_problem((reader)->builder, line_place(reader, at), __VA_ARGS__)

/** Returns whether the text is UTF-8. NUL bytes are allowed. */
bool line_is_utf8(struct span text);

/** Checks that the text is UTF-8 without NUL bytes. Returns 0, or PROBLEM with the place. */
int line_check_text(struct builder *builder, struct span text);

/** Makes a scalar that is always a string. Returns NULL if there is no memory. */
struct node *line_scalar(const struct line_reader *reader, struct span text, struct place place);

/**
 * Adds a line_scalar() of `text` to the open map or list. Its place is the byte `at` of the line.
 * Returns 0, PROBLEM at a limit, or -ENOMEM.
 */
int line_add_scalar(struct line_reader *reader, struct span text, const char *at);

/** As line_add_scalar(), for a key, folded by `fold`. */
int line_add_key(
	struct line_reader *reader, struct span text, const char *at, const struct fold *fold);

/** If no map is open, opens the root map; `at` is where its first entry begins. Returns 0, PROBLEM
 * or -ENOMEM. */
int line_open_root(struct line_reader *reader, const char *at);

/** Closes the root map, if it is open. Returns 0, PROBLEM or -ENOMEM. */
int line_close_root(struct line_reader *reader);

/**
 * Notes the extent of the pair that was added last. `key` and `value` are the pair's parts of the
 * text, with quotes. reader->in must be set. Returns 0 or -ENOMEM.
 */
EXTENT_NOTE_RARE int line_note_pair(struct line_reader *reader, struct span key, struct span value);

/**
 * For builder->repeat. If a key comes again, the later value counts, with a warning. If a section
 * comes again, it continues. A section with the name of a key is a PROBLEM.
 */
int line_repeat(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again);

/** Returns whether the line ends with a backslash that is not escaped by another one. */
bool line_ends_with_backslash(struct span line);

/* The problem of a "\r" at which the program ends the line. */
#define LINE_RETURN "a carriage return without a newline; end lines with a newline"

/* Writing. `name` is the format's name, for messages. The checks return 0 or PROBLEM. */

/** Reports a value that the format can't hold, at the value's place. Returns PROBLEM. */
#define line_refuse(writer, node, ...) problem_at((writer)->problem, line_source(node), __VA_ARGS__)

/** Returns the node with the value's place: the value; or, if a merge made it, its first entry. */
const struct node *line_source(const struct node *node);

/** Returns why the text can't stand in a line, for example "a line break"; NULL: it can. */
const char *line_text_fault(struct span text);

/** Returns "a carriage return" if the text has one: some programs end a line there. Else NULL. */
const char *line_return_fault(struct span text);

/** As line_text_fault(), but blanks at the text's ends are a fault, too. */
const char *line_fault(struct span text);

/** Checks that a root or section is a map of distinct keys. Returns 0, PROBLEM or -ENOMEM. */
int line_check_map(const struct writer *writer, const struct node *map, const char *name);

/** Does line_check_tag(), and refuses maps and lists. `remedy` ends the message about a list. */
int line_check_scalar(const struct writer *writer, const struct node *value, const char *name,
	const char *remedy);

/** Refuses a value with a tag that is not YAML's own. */
int line_check_tag(const struct writer *writer, const struct node *value, const char *name);

/** Refuses null, for a format that has none. */
int line_check_null(const struct writer *writer, const struct node *value, const char *name);
