/*
 * A fault in YAML: what libyaml objects to, in our words, with the remedy, and at the place where it
 * is to be mended. libyaml names the token that it did not expect, which may stand many lines behind
 * the bracket, quote or key that is wrong.
 */
#pragma once

#include <yaml.h>

#include "builder.h"

/** Tells why the parser has stopped in `text`, but for lack of memory. Returns PROBLEM. */
int yaml_fault(const struct builder *builder, struct span text, const yaml_parser_t *parser);

/** The place of a byte of the text. */
struct place yaml_place(const struct builder *builder, struct span text, size_t offset);
