/*
 * The lines of a text that is edited, for formats whose entries are lines.
 */
#pragma once

#include "editor.h"
#include "format/output.h"

struct text_lines {
	struct edit *edit;
	const char *comments;  /* what a line of comment begins with */
	bool has_cr;           /* "\r" alone ends a line, too */
	bool has_continuation; /* a backslash at a line's end: it goes on in the next */
};

/** The offset of the line's first byte, behind a byte order mark. */
size_t text_lines_begin(const struct text_lines *lines, size_t offset);

/** Where the line's break begins, or the text ends. */
size_t text_lines_end(const struct text_lines *lines, size_t offset);

/** Where the next line begins, or the text ends. */
size_t text_lines_after(const struct text_lines *lines, size_t offset);

/** The line from `begin` on, without blanks around it. */
struct span text_lines_text(const struct text_lines *lines, size_t begin);

bool text_lines_is_blank(const struct text_lines *lines, size_t begin);
bool text_lines_is_comment(const struct text_lines *lines, size_t begin);

/**
 * Where the comments directly above the line begin, or it itself; but not above the line of
 * `floor`, where the entry before it ends. 0: there is none.
 */
size_t text_lines_above(const struct text_lines *lines, size_t begin, size_t floor);

/** Puts whole lines, which end with a break, where a line begins or the text ends. 0 or -ENOMEM. */
int text_lines_insert(const struct text_lines *lines, size_t offset, struct span added);

/** Takes a range out: one that touches what was taken out last becomes one with it. */
int text_lines_take_out(const struct text_lines *lines, size_t begin, size_t end);

/** Takes out whole lines, and blank ones behind them if there are some in front, too. */
int text_lines_take(const struct text_lines *lines, size_t begin, size_t end);

/** Gives what was written to the arena, and its memory back. 0 or -ENOMEM. */
int text_lines_finish(const struct text_lines *lines, struct output *output, struct span *ret);
