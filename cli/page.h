/*
 * Text in a page (HTML): whatever it holds, it is text there, and shown as on a terminal.
 */
#pragma once

#include <stdio.h>

#include "span.h"

/** Fit for elements and quoted attributes. Tabs stay. */
void page_put_text(FILE *out, struct span text);

/** The same between two pieces of markup. */
void page_put(FILE *out, const char *before, const char *text, const char *after);

/** The byte at which the character with that number, starting at 1, begins; at most the length. */
size_t page_offset(struct span text, size_t column);
