/* Functions that read a text, such as a URI, from its front. Skipping shortens the span. */
#pragma once

#include <stdbool.h>

#include "span.h"

/** Returns the next byte, or -1 at the end. */
static inline int text_peek(const struct span *text)
{
	return text->len ? (unsigned char)text->data[0] : -1;
}

/** Skips `len` bytes, which must be there. Returns true, for use in conditions. */
static inline bool text_skip(struct span *text, size_t len)
{
	text->data += len;
	text->len -= len;
	return true;
}

/** If the next byte is `c`, skips it. Returns whether it was skipped. */
static inline bool text_take(struct span *text, char c)
{
	return text_peek(text) == (unsigned char)c && text_skip(text, 1);
}

static inline bool text_is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool text_is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/** Returns the value of a hexadecimal digit; -1: `c` is none. */
static inline int text_hex(int c)
{
	int small = c | 0x20;

	if (text_is_digit(c))
		return c - '0';
	return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

static inline bool text_is_hex(int c)
{
	return text_hex(c) >= 0;
}

/** Returns whether `c` is a byte of `set`. */
static inline bool text_is_of(int c, const char *set)
{
	return c > 0 && strchr(set, c);
}

/** Skips the digits that are next. Returns their number. */
static inline size_t text_digits(struct span *text)
{
	size_t count = 0;

	while (text_is_digit(text_peek(text)) && text_skip(text, 1))
		count++;
	return count;
}

/**
 * Skips the bytes up to and including the first `c`, and returns those before it. If there is no
 * `c`, skips and returns all bytes.
 */
static inline struct span text_until(struct span *text, char c)
{
	const char *end = text->len ? memchr(text->data, c, text->len) : NULL;
	struct span head = {text->data, end ? (size_t)(end - text->data) : text->len};

	text_skip(text, head.len + (end != NULL));
	return head;
}
