/*
 * Edits of TOML: see format.edit.
 *
 * A new value goes where its table's last pair is, a new table behind what its table has last. What
 * a table is written as, header, dotted keys or inline, is what its neighbours are.
 */
#pragma once

#include "editor.h"

int toml_edit(struct edit *edit, const struct edit_op *op);
