/*
 * TOML's reader and writer, for the entry in the table of formats.
 *
 * What TOML has is told by style: a table under its own [header] is NODE_HEADER, one that is there
 * for the tables in it NODE_BLOCK, an inline table NODE_FLOW, one that dotted keys make NODE_DOTTED.
 * A list of tables under [[headers]], or one that stands on several lines, is NODE_BLOCK, one on a
 * single line NODE_FLOW. Strings are NODE_DOUBLE "…", NODE_SINGLE '…', NODE_FOLDED """…""" and
 * NODE_LITERAL '''…'''.
 */
#pragma once

#include "builder.h"
#include "output.h"

int toml_read(struct builder *builder, struct span text);
int toml_write(struct writer *writer, const struct node *root);

/** What a key without quotes is made of. */
static inline bool toml_is_bare(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' ||
	       c == '-';
}

/** What may stand only as an escape, even in a string of many lines. A newline is not among them.
 */
static inline bool toml_is_control(char c)
{
	return ((unsigned char)c < 0x20 && c != '\t' && c != '\n') || c == 0x7F;
}
