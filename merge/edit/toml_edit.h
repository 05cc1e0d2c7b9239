/*
 * Edits of TOML.
 *
 * A new value goes behind its table's last pair, and a new table behind everything in its parent
 * table. A new table is written like its neighbours: with a header, as dotted keys, or inline.
 */
#pragma once

#include "editor.h"

/** See format.edit (format.h). */
int toml_edit(struct edit *edit, const struct edit_op *op);
