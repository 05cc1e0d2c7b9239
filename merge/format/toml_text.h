/*
 * A cursor in the text of a TOML document. Its functions read blanks, comments, line ends and
 * strings. A function that returns PROBLEM has filled the builder's problem, with the place.
 */
#pragma once

#include "builder.h"

struct toml_text {
	struct builder *builder;
	const char *p;
	const char *end;
	uint32_t line;          /* number of the line of p, starting at 1 */
	const char *counted;    /* a byte on that line, at or before p */
	uint32_t counted_place; /* column of `counted`, starting at 1 */
};

/** Returns whether the text must be TOML 1.0.0. */
static inline bool toml_text_is_1_0(const struct toml_text *at)
{
	return at->builder->options->format == &format_toml_1_0;
}

/** Returns the place of p. */
struct place toml_text_place(struct toml_text *at);

/** Reports a problem at p. Returns PROBLEM. */
int toml_text_fail(struct toml_text *at, const char *message);

/**
 * Reports the character at p. If TOML allows it nowhere (invalid UTF-8, a lone carriage return, a
 * control character), the message says so. If TOML allows it elsewhere, the message is `otherwise`.
 * Returns PROBLEM.
 */
int toml_text_bad_character(struct toml_text *at, const char *otherwise);

/** Skips spaces, then a comment. Returns 0, or PROBLEM for an invalid comment. */
int toml_text_skip_rest(struct toml_text *at);

/** Skips spaces, comments and line ends. Returns 0, or PROBLEM for an invalid comment. */
int toml_text_skip_lines(struct toml_text *at);

/** Reads the string that begins at p, with its style. Returns 0 with *ret, PROBLEM or -ENOMEM. */
int toml_text_take_string(struct toml_text *at, struct node **ret);

/** Reads the next `len` bytes as a plain scalar. Returns 0 with *ret, or -ENOMEM. */
int toml_text_take_word(struct toml_text *at, size_t len, struct node **ret);

static inline bool toml_text_is_at(const struct toml_text *at, const char *text)
{
	return span_begins((struct span){at->p, (size_t)(at->end - at->p)}, text);
}

/* Returns the length of the line end at p, in bytes; 0: there is none. */
static inline size_t toml_text_newline(const struct toml_text *at)
{
	if (toml_text_is_at(at, "\n"))
		return 1;
	return toml_text_is_at(at, "\r\n") ? 2 : 0;
}

static inline void toml_text_take_newline(struct toml_text *at, size_t length)
{
	at->p += length;
	at->line++;
	at->counted = at->p;
	at->counted_place = 1;
}

static inline void toml_text_skip_spaces(struct toml_text *at)
{
	while (at->p < at->end && (*at->p == ' ' || *at->p == '\t'))
		at->p++;
}
