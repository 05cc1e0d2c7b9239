/*
 * Text as it is shown to people: hostile input may be quoted in a message, a comment or on a
 * terminal, and stays on its line there, steers nothing and is always UTF-8.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of one character as it is shown, at most: "\xNN". */
#define SHOWN_MAX 4

/**
 * Whether a character is not shown as it is: control characters, and those that turn a terminal's
 * text around, break a line, or have no place in a YAML file.
 */
bool shown_is_escaped(uint32_t code);

/**
 * Puts the character at *p (*p < end) as it is shown into `out`, with a NUL behind it, and moves *p
 * behind the character; of what is escaped, one byte: "\xNN". Returns the bytes put.
 */
size_t shown_put(const char **p, const char *end, char out[SHOWN_MAX + 1]);

/** `text` as it is shown, NUL-terminated; cut at its end with "…" to fit `size` bytes, 8 or more.
 */
void shown_head(char *out, size_t size, const char *text);

/** The same, cut in front. */
void shown_tail(char *out, size_t size, const char *text);
