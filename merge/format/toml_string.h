/* The writer of TOML strings. A string keeps its kind of quotes if they can hold its text. */
#pragma once

#include "output.h"

/**
 * Writes `text` in the quotes of `style` (toml.h), or in others if `style` can't hold the text.
 * Returns 0, or -EILSEQ if the text is not UTF-8.
 */
int toml_put_string(struct output *output, struct span text, enum node_style style);

/** Writes a part of a key, without quotes if possible. Returns 0, or -EILSEQ: it is not UTF-8. */
int toml_put_key(struct output *output, struct span text, enum node_style style);
