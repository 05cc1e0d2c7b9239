/*
 * How a string is written in TOML: in the kind of quotes that it had, where they can hold it.
 */
#pragma once

#include "output.h"

/** `text` in the quotes that `style` stands for (toml.h), or in others. -EILSEQ: it is not UTF-8.
 */
int toml_put_string(struct output *output, struct span text, enum node_style style);

/** `text` as a part of a key: without quotes where it can be. -EILSEQ: it is not UTF-8. */
int toml_put_key(struct output *output, struct span text, enum node_style style);
