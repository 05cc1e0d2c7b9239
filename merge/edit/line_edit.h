/* Edits of text that is made of lines: INI, systemd units, .env, properties … See format.edit. */
#pragma once

#include "editor.h"
#include "format/ini_dialect.h"

/* The differences between the formats. */
struct line_dialect {
	const char *comments;    /* the characters that begin a comment line */
	bool has_inner_comments; /* comment lines may stand inside a value */
	bool has_quotes;         /* a value may be quoted, in "" or '' */
	/* a line that is indented deeper than the key continues the key's value */
	bool has_indents;
	bool has_continuation; /* a line with a backslash at its end goes on in the next line */
	bool has_cr;           /* "\r" alone ends a line, too */
	bool colon_yields;     /* a ":" separates only if the line has no "=" */
	const struct ini_dialect *ini; /* decides which keys are lists; NULL: not INI */
};

/** Does the work of format.edit for a format with this dialect. */
int line_edit(struct edit *edit, const struct edit_op *op, const struct line_dialect *dialect);
