/*
 * Functions that read blanks, comments, line ends and single values of TOML at a cursor. A function
 * that returns PROBLEM has filled the builder's problem, with the place.
 */
#pragma once

#include "builder.h"

/* Bytes of a key or a wrong word that a message shows. */
#define TOML_SHOWN_MAX 64

/** Returns whether the text must be TOML 1.0.0. */
static inline bool toml_text_is_1_0(const struct text_cursor *at)
{
	return at->builder->options->format == &format_toml_1_0;
}

/**
 * Reports the character at p. If TOML allows it nowhere (invalid UTF-8, a lone carriage return, a
 * control character), the message says so. If TOML allows it elsewhere, the message is `otherwise`.
 * Returns PROBLEM.
 */
int toml_text_bad_character(struct text_cursor *at, const char *otherwise);

/** Skips spaces, and a comment if one follows. Returns 0, or PROBLEM for an invalid comment. */
int toml_text_skip_rest(struct text_cursor *at);

/** Skips spaces, comments and line ends. Returns 0, or PROBLEM for an invalid comment. */
int toml_text_skip_lines(struct text_cursor *at);

/** Reads the string that begins at p, with its style. Returns 0 with *ret, PROBLEM or -ENOMEM. */
int toml_text_take_string(struct text_cursor *at, struct node **ret);

/** Reads a number, a boolean, a date or a time. Returns 0 with *ret, PROBLEM or -ENOMEM. */
int toml_text_take_value(struct text_cursor *at, struct node **ret);

/** Reads the next `len` bytes as a plain scalar. Returns 0 with *ret, or -ENOMEM. */
int toml_text_take_word(struct text_cursor *at, size_t len, struct node **ret);

static inline bool toml_text_is_at(const struct text_cursor *at, const char *text)
{
	return span_begins((struct span){at->p, (size_t)(at->end - at->p)}, text);
}

/* Returns the length of the line end at p, in bytes; 0: there is none. */
static inline size_t toml_text_newline(const struct text_cursor *at)
{
	if (toml_text_is_at(at, "\n"))
		return 1;
	return toml_text_is_at(at, "\r\n") ? 2 : 0;
}

static inline void toml_text_skip_spaces(struct text_cursor *at)
{
	while (at->p < at->end && (*at->p == ' ' || *at->p == '\t'))
		at->p++;
}
