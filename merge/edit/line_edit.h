/* Edits of text that is made of lines: INI, systemd units, .env, properties … See format.edit. */
#pragma once

#include "text_lines.h"

/** Does the work of format.edit for a format with these lines. */
int line_edit(struct edit *edit, const struct edit_op *op, const struct line_dialect *dialect);
