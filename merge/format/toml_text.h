/*
 * The text of a TOML document, read from its front: where a reader is, and what is between and in
 * quotes. Everything that makes no sense there is a problem at its place.
 */
#pragma once

#include "builder.h"

struct toml_text {
	struct builder *builder;
	const char *p;
	const char *end;
	uint32_t line;          /* of p */
	const char *counted;    /* on p's line, at or before p … */
	uint32_t counted_place; /* … its column */
};

/** Where p is. */
struct place toml_text_place(struct toml_text *at);

/** A problem there. */
int toml_text_fail(struct toml_text *at, const char *message);

/** A problem at a character that belongs nowhere, or else what it says `otherwise`. */
int toml_text_bad_character(struct toml_text *at, const char *otherwise);

/** Skips spaces and a comment, up to the end of the line. 0 or PROBLEM. */
int toml_text_skip_rest(struct toml_text *at);

/** Skips spaces, comments and ends of lines. 0 or PROBLEM. */
int toml_text_skip_lines(struct toml_text *at);

/** The string that begins at p, with its style. 0, PROBLEM or -ENOMEM. */
int toml_text_take_string(struct toml_text *at, struct node **ret);

/** The next `len` bytes, as plain text. 0 or -ENOMEM. */
int toml_text_take_word(struct toml_text *at, size_t len, struct node **ret);

static inline bool toml_text_is_at(const struct toml_text *at, const char *text)
{
	return span_begins((struct span){at->p, (size_t)(at->end - at->p)}, text);
}

/* Bytes of the end of a line at p; 0 where there is none. */
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
