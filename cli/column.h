/* Text and numbers in columns, whose width is counted in characters. */
#pragma once

#include <stdio.h>

#include "span.h"

/**
 * Prints the text, with all control characters but tabs escaped. Returns the number of printed
 * characters. If `out` is NULL, prints nothing, but counts.
 */
size_t column_put(FILE *out, struct span text);

size_t column_digits(size_t number);
