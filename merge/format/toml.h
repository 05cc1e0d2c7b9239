/*
 * TOML's reader and editor: read() and edit() of struct format.
 *
 * A node's style records how TOML writes it:
 *
 *      NODE_HEADER    a table under its own [header]
 *      NODE_BLOCK     a table that exists only for the tables in it; a list of tables under
 *                     [[headers]]; a list on several lines
 *      NODE_FLOW      an inline table; a list on one line
 *      NODE_DOTTED    a table made by dotted keys
 *      NODE_DOUBLE    a string "…"
 *      NODE_SINGLE    a string '…'
 *      NODE_FOLDED    a string """…"""
 *      NODE_LITERAL   a string '''…'''
 */
#pragma once

#include "builder.h"
#include "output.h"

int toml_read(struct builder *builder, struct span text);
int toml_edit(struct edit *edit, const struct edit_op *op); /* in edit/toml_edit.c */

/** Returns whether a key without quotes may contain `c`. */
static inline bool toml_is_bare(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' ||
	       c == '-';
}

/** Returns whether `c` is a control character that no kind of string may have unescaped. */
static inline bool toml_is_control(char c)
{
	return ((unsigned char)c < 0x20 && c != '\t' && c != '\n') || c == 0x7F;
}
