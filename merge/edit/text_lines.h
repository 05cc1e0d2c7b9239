/* The lines of a text that is edited, for formats whose entries are lines. */
#pragma once

#include "editor.h"
#include "format/output.h"

struct text_lines {
	struct edit *edit;
	const char *comments;  /* the characters that begin a comment line */
	bool has_cr;           /* "\r" alone ends a line, too */
	bool has_continuation; /* after a backslash at its end, a line goes on in the next */
};

/** Returns the offset of the first byte of the line at `offset`, after a byte order mark. */
size_t text_lines_begin(const struct text_lines *lines, size_t offset);

/** Returns where the break of the line at `offset` begins, or the text ends. */
size_t text_lines_end(const struct text_lines *lines, size_t offset);

/** Returns where the line after that of `offset` begins, or the text ends. */
size_t text_lines_after(const struct text_lines *lines, size_t offset);

/** Returns the line that begins at `begin`, without blanks around it. */
struct span text_lines_text(const struct text_lines *lines, size_t begin);

bool text_lines_is_blank(const struct text_lines *lines, size_t begin);
bool text_lines_is_comment(const struct text_lines *lines, size_t begin);

/**
 * Returns where the comments directly above the line at `begin` begin; `begin` if there are none.
 * `floor` is the end of the entry before, or 0 if there is none. Comments on the line of `floor` do
 * not count.
 */
size_t text_lines_above(const struct text_lines *lines, size_t begin, size_t floor);

/**
 * Returns where the lines of `entry` in `in` begin, with its comments. These are the comment lines
 * directly above it, if a blank line, or the beginning of the text or of `in`, is above them. If
 * `in` is the root (`is_root`), and `entry` is its only entry, comments that begin the text don't
 * count.
 */
size_t text_lines_own(const struct text_lines *lines, const struct extent *in,
	const struct extent *entry, bool is_root);

/** Inserts whole lines, with breaks, where a line begins or the text ends. Returns 0 or -ENOMEM. */
int text_lines_insert(const struct text_lines *lines, size_t offset, struct span added);

/** Likewise, with a blank line before them if they would stand directly below a comment. */
int text_lines_insert_apart(const struct text_lines *lines, size_t offset, struct span added);

/** Removes a range; joins it with the last removed range if they touch. Returns 0 or -ENOMEM. */
int text_lines_take_out(const struct text_lines *lines, size_t begin, size_t end);

/**
 * Removes whole lines. If a blank line, or no line, is before them, also removes the blank lines
 * behind them. If no text follows after that, also removes the blank lines before them. Returns 0
 * or -ENOMEM.
 */
int text_lines_take(const struct text_lines *lines, size_t begin, size_t end);

/** Moves the output's text to the arena, and frees the output. Returns 0 or -ENOMEM. */
int text_lines_finish(const struct text_lines *lines, struct output *output, struct span *ret);
