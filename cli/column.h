/*
 * Text and numbers in columns, in characters.
 */
#pragma once

#include <stdio.h>

#include "span.h"

/** Prints the text as it is shown, but for tabs, which stay; with `out` NULL nothing. Its width. */
size_t column_put(FILE *out, struct span text);

/** Decimal digits of the number. */
size_t column_digits(size_t number);
