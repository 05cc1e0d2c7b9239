/* Reads, writes and edits JSON, for the entries of JSON and JSONC in the table of formats. */
#pragma once

#include "builder.h"
#include "output.h"

/** See struct format's read(). `is_jsonc` allows comments, and a comma behind the last value. */
int json_read(struct builder *builder, struct span text, bool is_jsonc);

/** See struct format's write(). */
int json_write(struct writer *writer, const struct node *root);

/** See struct format's edit(). Defined in edit/json_edit.c. */
int json_edit(struct edit *edit, const struct edit_op *op);
