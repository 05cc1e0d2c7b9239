/* Writes and edits JSON. The reader of JSON and JSONC is in json_read.c. */
#pragma once

#include "builder.h"
#include "output.h"

/** See struct format's write(). */
int json_write(struct writer *writer, const struct node *root);

/** See struct format's edit(). Defined in edit/json_edit.c. */
int json_edit(struct edit *edit, const struct edit_op *op);
