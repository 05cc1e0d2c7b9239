/* The read(), write() and edit() of struct format, for all dialects of INI (ini_dialect.h). */
#pragma once

#include "ini_dialect.h"

int ini_read(struct builder *builder, struct span text);
int ini_write(struct writer *writer, const struct node *root);
int ini_edit(struct edit *edit, const struct edit_op *op);
