/* The lines of a text that is edited, for formats whose entries are lines. */
#pragma once

#include "editor.h"
#include "format/output.h"

/* The lines that continue a value. */
enum line_more {
	LINE_MORE_NONE,
	LINE_MORE_INDENTED,  /* those indented deeper; comment lines may be among them */
	LINE_MORE_BACKSLASH, /* the one behind a line with a backslash at its end */
	LINE_MORE_UNIT,      /* as BACKSLASH, and comment lines may be among them */
};

/* The lines of a format. */
struct line_dialect {
	const char *comments; /* the characters that begin a comment line */
	enum line_more more;
	bool has_cr; /* "\r" alone ends a line, too */
};

struct text_lines {
	struct edit *edit;
	const struct line_dialect *dialect;
};

/** Returns where the line at `offset` begins. A byte order mark is not part of the first line. */
size_t text_lines_begin(const struct text_lines *lines, size_t offset);

/** Returns where the line at `offset` ends: at its line break, or at the end of the text. */
size_t text_lines_end(const struct text_lines *lines, size_t offset);

/** Returns where the line behind the line at `offset` begins, or the text's end. */
size_t text_lines_after(const struct text_lines *lines, size_t offset);

bool text_lines_is_blank(const struct text_lines *lines, size_t begin);
bool text_lines_is_comment(const struct text_lines *lines, size_t begin);

/** Returns where the entry's first line begins. */
size_t text_lines_at(const struct text_lines *lines, const struct extent *entry);

/** Returns where the line after the entry's last line begins, or the text's end. */
size_t text_lines_behind(const struct text_lines *lines, const struct extent *entry);

/**
 * Returns where the comment lines directly above the entry begin; if there are none, where the
 * entry's first line begins. `floor` is the end of the entry before, or 0. A comment on the line of
 * `floor` does not count.
 */
size_t text_lines_above(const struct text_lines *lines, const struct extent *entry, size_t floor);

/**
 * Returns where `entry`, an entry of `in`, begins, including its comments. Comment lines directly
 * above `entry` are its comments if `entry` is the first of `in`, or if a blank line or nothing is
 * above these lines. But if `in` is the root (`is_root`) and has no other entry, comment lines
 * above `entry` that begin at the top of the text belong to the file.
 */
size_t text_lines_own(const struct text_lines *lines, const struct extent *in,
	const struct extent *entry, bool is_root);

/** Inserts whole lines at an offset where a line begins or the text ends. Returns 0 or -ENOMEM. */
int text_lines_insert(const struct text_lines *lines, size_t offset, struct span added);

/** As text_lines_insert(). If a comment line is above `offset`, inserts a blank line first. */
int text_lines_insert_apart(const struct text_lines *lines, size_t offset, struct span added);

/**
 * Does text_lines_insert_apart(). Unless `is_dense`, also separates the lines from the text above
 * and below them by blank lines.
 */
int text_lines_insert_sections(
	const struct text_lines *lines, size_t offset, struct span added, bool is_dense);

/** Removes a range. If the last removed range touches it, joins both. Returns 0 or -ENOMEM. */
int text_lines_take_out(const struct text_lines *lines, size_t begin, size_t end);

/**
 * Removes whole lines. If a blank line or nothing is before these lines, also removes the blank
 * lines behind them. If no text follows the removed lines, also removes the blank lines before
 * them. Returns 0 or -ENOMEM.
 */
int text_lines_take(const struct text_lines *lines, size_t begin, size_t end);

/** Moves the output's text to the edit's arena, and frees the output. Returns 0 or -ENOMEM. */
int text_lines_finish(const struct text_lines *lines, struct output *output, struct span *ret);

/** Does the work of format.edit for a format with these lines. */
int line_edit(struct edit *edit, const struct edit_op *op, const struct line_dialect *dialect);
