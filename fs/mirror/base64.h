/*
 * Base64 as RFC 4648, section 4, has it: padded, and nothing between the characters. The gateway of
 * etcd writes keys and values like that.
 */
#pragma once

#include <stdbool.h>

#include "span.h"

/* Characters that `len` bytes become. */
static inline size_t base64_length(size_t len)
{
	return (len + 2) / 3 * 4;
}

/** Writes base64_length(bytes.len) characters to `out`, with no NUL. */
void base64_encode(struct span bytes, char *out);

/** The same as a string for free(3); NULL: no memory. */
char *base64_make(struct span bytes);

/**
 * Writes at most text.len / 4 * 3 bytes to `out`, which may be where `text` is. Returns whether it
 * is base64; *ret_len is set only then.
 */
bool base64_decode(struct span text, char *out, size_t *ret_len);
