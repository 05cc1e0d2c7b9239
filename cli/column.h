/* Text and numbers in columns, whose width is counted in characters. */
#pragma once

#include <stdio.h>

#include "format/output.h"

/**
 * Prints the text, with all control characters but tabs escaped. Returns the number of printed
 * characters. If `out` is NULL, prints nothing, but counts.
 */
size_t column_put(FILE *out, struct span text);

/** As column_put(), to `output`, which takes many small pieces at less cost. */
size_t column_add(struct output *output, struct span text);

/**
 * Adds the number, with blanks in front if it has fewer than `width` digits. Returns the number of
 * its digits, without the blanks.
 */
size_t column_add_number(struct output *output, size_t number, size_t width);

size_t column_digits(size_t number);
