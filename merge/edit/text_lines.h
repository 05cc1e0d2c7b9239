/* The lines of a text that is edited, for formats whose entries are lines. */
#pragma once

#include "editor.h"
#include "format/output.h"

struct text_lines {
	struct edit *edit;
	const char *comments;  /* the characters that begin a comment line */
	bool has_cr;           /* "\r" alone ends a line, too */
	bool has_continuation; /* a line with a backslash at its end goes on in the next line */
};

/** Returns where the line at `offset` begins. A byte order mark is not part of the first line. */
size_t text_lines_begin(const struct text_lines *lines, size_t offset);

/** Returns where the line at `offset` ends: at its line break, or at the end of the text. */
size_t text_lines_end(const struct text_lines *lines, size_t offset);

/** Returns the beginning of the line behind that of `offset`; the text's end if there is none. */
size_t text_lines_after(const struct text_lines *lines, size_t offset);

/** Returns the line that begins at `begin`, without blanks around it. */
struct span text_lines_text(const struct text_lines *lines, size_t begin);

bool text_lines_is_blank(const struct text_lines *lines, size_t begin);
bool text_lines_is_comment(const struct text_lines *lines, size_t begin);

/** Returns where the entry's first line begins, and where its last line ends, with its break. */
size_t text_lines_at(const struct text_lines *lines, const struct extent *entry);
size_t text_lines_behind(const struct text_lines *lines, const struct extent *entry);

/**
 * Returns the beginning of the comment lines directly above the entry's first line; of that line if
 * there are none. `floor` is the end of the entry before, or 0 if there is none. A comment on the
 * line of `floor` does not count.
 */
size_t text_lines_above(const struct text_lines *lines, const struct extent *entry, size_t floor);

/**
 * Returns where `entry`, an entry of `in`, begins, including its comments. The comment lines
 * directly above `entry` belong to it if `entry` is the first in `in`, if a blank line is above the
 * comments, or if they begin the text. But if `in` is the root (`is_root`), and `entry` is its only
 * entry, comments that begin the text belong to the file.
 */
size_t text_lines_own(const struct text_lines *lines, const struct extent *in,
	const struct extent *entry, bool is_root);

/**
 * Inserts whole lines, each with its line break, at an offset where a line begins or the text ends.
 * Returns 0 or -ENOMEM.
 */
int text_lines_insert(const struct text_lines *lines, size_t offset, struct span added);

/** As text_lines_insert(). If the line before is a comment, a blank line comes first. */
int text_lines_insert_apart(const struct text_lines *lines, size_t offset, struct span added);

/**
 * Removes a range. If it touches the range that was removed last, makes one splice (editor.h) of
 * both. Returns 0 or -ENOMEM.
 */
int text_lines_take_out(const struct text_lines *lines, size_t begin, size_t end);

/**
 * Removes whole lines. If a blank line is before them, or they begin the text, also removes the
 * blank lines behind them. If no text follows the removed lines, also removes the blank lines
 * before them. Returns 0 or -ENOMEM.
 */
int text_lines_take(const struct text_lines *lines, size_t begin, size_t end);

/** Copies the output's text to the edit's arena, and frees the output. Returns 0 or -ENOMEM. */
int text_lines_finish(const struct text_lines *lines, struct output *output, struct span *ret);
