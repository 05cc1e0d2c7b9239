/* The reader, writer and editor of INI. All dialects (ini_dialect.h) share them. */
#pragma once

#include "ini_dialect.h"

int ini_read(struct builder *builder, struct span text);
int ini_write(struct writer *writer, const struct node *root);
int ini_edit(struct edit *edit, const struct edit_op *op);
