/* Reads, writes and edits JSON. */
#pragma once

#include "builder.h"
#include "output.h"

/** See struct format's write(). */
int json_write(struct writer *writer, const struct node *root);

/** See struct format's edit(). Defined in edit/json_edit.c. */
int json_edit(struct edit *edit, const struct edit_op *op);

/*
 * The JSON of another language, with the liberties of CFEngine's: In an object, all commas and
 * colons may be missing. In a list, commas may be missing, except before a list or an object. A
 * comma may stand behind the last value, and before the first key. A string may hold control
 * characters, and a backslash that begins no escape stands for itself. Text after the first value
 * is ignored.
 */
struct json_dialect {
	/* Each is called at at->p for what JSON lacks: adds a node by builder_add(), and moves
	 * at->p behind it. Returns 0, or a result that ends the reading. */
	int (*take_value)(struct text_cursor *at, void *context);
	int (*take_key)(struct text_cursor *at);
	void *context;
};

/** Reads a value. Returns 0, or a result as from read(); at->p is then at the fault. */
int json_read_dialect(struct text_cursor *at, const struct json_dialect *dialect);
