/*
 * Text as it is shown to people. A message, a comment or a terminal may quote hostile input: shown
 * text stays on its line, sends no control characters, and is always UTF-8.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Greatest size of a character as it is shown, in bytes: "\xNN". */
#define SHOWN_MAX 4

/**
 * Returns whether a character is escaped: control characters, and characters that change the
 * direction of text, break a line, or are not allowed in a YAML file.
 */
bool shown_is_escaped(uint32_t code);

/** Returns whether the byte is a character, of one column, that is shown as it is: ASCII. */
static inline bool shown_is_plain(char c)
{
	return c >= ' ' && c < 0x7F;
}

/**
 * Writes the character at *p (*p < end) as it is shown to `out`, NUL-terminated, and moves *p
 * behind it. If the character is escaped or invalid, writes "\xNN" for its first byte, and moves *p
 * behind that byte. Returns the number of bytes written.
 */
size_t shown_put(const char **p, const char *end, char out[SHOWN_MAX + 1]);

/**
 * Writes `text` as it is shown, NUL-terminated. Cuts it at its end with "…" to fit `size` bytes, 8
 * or more.
 */
void shown_head(char *out, size_t size, const char *text);

/** As shown_head(), but cuts the text at its front. */
void shown_tail(char *out, size_t size, const char *text);
