/*
 * New text for an edit of YAML. The format's writer writes the text in the style of its neighbours.
 *
 * All functions return 0 with *ret in the edit's arena; PROBLEM if the value can't be written or is
 * too large; or -ENOMEM.
 */
#pragma once

#include "yaml_slot.h"

/** Writes `part`, a value or a pair (yaml_text.h). The line ends are always "\n". */
int yaml_new_put(const struct edit *edit, const struct yaml_part *part, struct span *ret);

/**
 * Writes the lines of the entry that the op adds to `in`, a block. Leaves out the first line's
 * indentation and the last line's end. The line ends are those of the edited text. `after` is the
 * offset of the text that will follow these lines.
 */
int yaml_new_entry(const struct edit *edit, const struct edit_op *op, const struct extent *in,
	size_t after, struct span *ret);

/** Writes `value` for `slot` in the op's document, with the line ends of the edited text. */
int yaml_new_value(const struct edit *edit, const struct edit_op *op, const struct yaml_slot *slot,
	const struct node *value, struct yaml_slot_text *ret);
