/*
 * Text as it is shown to people. Messages, comments and terminals may show hostile input. So shown
 * text has no line breaks or other control characters, and is always UTF-8.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Greatest size of a shown character, in bytes: that of "\xNN". */
#define SHOWN_MAX 4

/**
 * Returns whether a character is escaped. These are control characters, and characters that change
 * the direction of text, break a line, or are not allowed in a YAML file.
 */
bool shown_is_escaped(uint32_t code);

/** Returns whether the byte is a character of ASCII that is shown as it is, in one column. */
static inline bool shown_is_plain(char c)
{
	return c >= ' ' && c < 0x7F;
}

/**
 * Writes the character at *p (*p < end) to `out`, as it is shown, and moves *p behind it. If the
 * character is escaped or invalid, writes "\xNN" for its first byte, and moves *p behind that byte.
 * Returns the number of bytes written, without the NUL at their end.
 */
size_t shown_put(const char **p, const char *end, char out[SHOWN_MAX + 1]);

/**
 * Writes `text` to `out`, NUL-terminated, as it is shown. If that needs more than `size` bytes,
 * cuts the end off, and appends "…". `size` must be at least 8.
 */
void shown_head(char *out, size_t size, const char *text);

/** As shown_head(), but cuts the beginning off, and writes "…" in front. */
void shown_tail(char *out, size_t size, const char *text);
