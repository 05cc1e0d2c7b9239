/* The explanation of a syntax error in YAML, with the remedy, at the place to be corrected. */
#pragma once

#include <yaml.h>

#include "builder.h"

/** Reports the syntax error at which `parser` stopped in `text`. Returns PROBLEM. */
int yaml_fault(const struct builder *builder, struct span text, const yaml_parser_t *parser);

/** Returns the place of a byte of the text. */
struct place yaml_place(const struct builder *builder, struct span text, size_t offset);
