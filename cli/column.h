/* Text and numbers in columns, measured in characters. */
#pragma once

#include <stdio.h>

#include "span.h"

/**
 * Prints the text with control characters escaped, except tabs. If `out` is NULL, prints nothing.
 * Returns the number of characters in both cases.
 */
size_t column_put(FILE *out, struct span text);

/** Returns the number of decimal digits of `number`. */
size_t column_digits(size_t number);
