/* An excerpt: a value on one line, cut to a maximum length, for people. */
#pragma once

#include "node.h"

/**
 * Writes the value to `out`, NUL-terminated, in flow style, and with its quotes if it had some. It
 * is cut with "…" to fit `size` bytes, 8 or more.
 */
void excerpt(const struct node *value, char *out, size_t size);
