/*
 * An excerpt: a value on one line, as much of it as fits, as it is shown to people.
 */
#pragma once

#include "node.h"

/**
 * Puts the value into `out`, NUL-terminated, in flow style and with quotes where it had some; cut
 * with "…" to fit `size` bytes, 8 or more.
 */
void excerpt(const struct node *value, char *out, size_t size);
