/*
 * The explanation of a syntax error in YAML: libyaml's objection in our words, with the remedy, at
 * the place that must be corrected. libyaml itself names the unexpected token, which may stand many
 * lines behind the wrong bracket, quote or key.
 */
#pragma once

#include <yaml.h>

#include "builder.h"

/** Reports the syntax error at which `parser` stopped in `text`. Returns PROBLEM. */
int yaml_fault(const struct builder *builder, struct span text, const yaml_parser_t *parser);

/** Returns the place of a byte of the text. */
struct place yaml_place(const struct builder *builder, struct span text, size_t offset);
