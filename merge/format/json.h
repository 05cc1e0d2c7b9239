/*
 * JSON's reader and writer, for the entries of JSON and its kin in the table of formats.
 */
#pragma once

#include "builder.h"
#include "output.h"

/** As struct format's read(). `is_jsonc`: comments and a comma behind the last value are fine. */
int json_read(struct builder *builder, struct span text, bool is_jsonc);

int json_write(struct writer *writer, const struct node *root);

/** As struct format's edit(): edit/json_edit.c. */
int json_edit(struct edit *edit, const struct edit_op *op);
