/* Hostile text as it is shown to people: UTF-8 without control characters and line breaks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Greatest size of a shown character, in bytes: that of "\xNN". */
#define SHOWN_MAX 4

/**
 * Returns whether a character is escaped: a control character, or one that changes the direction of
 * text, breaks a line, or is not allowed in YAML.
 */
bool shown_is_escaped(uint32_t code);

/** Returns whether the byte is a character of ASCII that is shown as it is. */
static inline bool shown_is_plain(char c)
{
	return c >= ' ' && c < 0x7F;
}

/**
 * Writes the character at *p (*p < end) to `out`, as it is shown, and moves *p behind the
 * character. If the character is escaped or invalid, writes "\xNN" for its first byte, and moves *p
 * behind this byte. Returns the number of bytes written. Does not always end `out` with a NUL.
 */
size_t shown_put(const char **p, const char *end, char out[SHOWN_MAX + 1]);

/**
 * Writes `text`, as it is shown, and a NUL to `out`. If these need more than `size` bytes, "…"
 * replaces the end of the text. `size` must be at least 8.
 */
void shown_head(char *out, size_t size, const char *text);

/** As shown_head(), but "…" replaces the beginning of the text. */
void shown_tail(char *out, size_t size, const char *text);
