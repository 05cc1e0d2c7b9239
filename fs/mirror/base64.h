/* Base64 as in RFC 4648, section 4: padded, without white space. */
#pragma once

#include <stdbool.h>

#include "span.h"

/** Encodes the bytes into a new string, for free(3). NULL: no memory. */
char *base64_make(struct span bytes);

/**
 * Decodes `text` to `out`, which has text.len / 4 * 3 bytes, and may be the memory of `text`. Sets
 * *ret_len to the number of decoded bytes. Returns false if `text` is not base64.
 */
bool base64_decode(struct span text, char *out, size_t *ret_len);
