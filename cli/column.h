/* Text and numbers in columns, measured in characters. */
#pragma once

#include <stdio.h>

#include "span.h"

/**
 * Prints the text with control characters escaped, except tabs. If `out` is NULL, only counts.
 * Returns the number of characters.
 */
size_t column_put(FILE *out, struct span text);

/** Returns the number of decimal digits of `number`. */
size_t column_digits(size_t number);
