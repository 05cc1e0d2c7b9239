/*
 * New text of YAML, for what an edit adds: written by the format's writer, in the style and with
 * the line ends of what is around it.
 *
 * All functions return 0 with *ret in the edit's arena; PROBLEM, when the value can't be written or
 * is too large; or -ENOMEM.
 */
#pragma once

#include "yaml_slot.h"

/** What the writer makes of the part, with "\n" as line ends. */
int yaml_new_put(const struct edit *edit, const struct yaml_part *part, struct span *ret);

/**
 * The lines of the op's new entry in `in`, a block: without the first one's indentation, and
 * without the last one's end. What is at `after` will follow them.
 */
int yaml_new_entry(const struct edit *edit, const struct edit_op *op, const struct extent *in,
	size_t after, struct span *ret);

/** `value` as it stands in a slot of the op's document. */
int yaml_new_value(const struct edit *edit, const struct edit_op *op, const struct yaml_slot *slot,
	const struct node *value, struct yaml_slot_text *ret);
