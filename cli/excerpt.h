/* An excerpt: a value on one line, cut to a maximum length, for people. */
#pragma once

#include "node.h"

/**
 * Writes the value to `out` in flow style, NUL-terminated. A quoted value keeps its quotes. A text
 * that does not fit `size` bytes is cut, and ends with "…". `size` must be at least 8.
 */
void excerpt(const struct node *value, char *out, size_t size);
