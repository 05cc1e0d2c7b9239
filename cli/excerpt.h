/* An excerpt: a value on one line, cut to a maximum length, for people. */
#pragma once

#include "node.h"

/**
 * Writes the value to `out`, NUL-terminated, in flow style, and with its quotes if it had some. If
 * the text does not fit `size` bytes (at least 8), it is cut, and ends with "…".
 */
void excerpt(const struct node *value, char *out, size_t size);
