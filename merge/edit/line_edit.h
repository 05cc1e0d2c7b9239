/*
 * Edits of text that is made of lines, in sections or not: INI, systemd's units, keyfiles,
 * environment files and properties. See format.edit.
 *
 * What is new is written by the format's own writer, and read again for where its key and value
 * stand; so this knows no format's escapes. What stands around it gives the separator, the indent
 * and the quotes.
 */
#pragma once

#include "editor.h"
#include "format/ini_dialect.h"

/* What the formats differ in. */
struct line_dialect {
	const char *comments;    /* what a line of comment begins with */
	bool has_inner_comments; /* such a line may stand within a value */
	bool has_quotes;         /* a value may stand in "" or '' */
	bool has_indents;        /* a line that stands further in than its key's goes on with it */
	bool has_continuation;   /* a backslash at a line's end: it goes on in the next */
	bool has_cr;             /* "\r" alone ends a line, too */
	bool colon_yields;       /* a ":" separates only where there is no "=" in the line */
	const struct ini_dialect *ini; /* which keys are lists; NULL: it is no INI */
};

int line_edit(struct edit *edit, const struct edit_op *op, const struct line_dialect *dialect);
