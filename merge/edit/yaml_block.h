/*
 * Edits of YAML's block style: functions that add or remove an entry with its lines, or replace the
 * value of an entry or the root.
 *
 * All functions return 0; EDIT_CANNOT if other text stands on the lines to be changed; PROBLEM if
 * the value can't be written, or yaml_guard.h refuses the edit; or -ENOMEM.
 */
#pragma once

#include "editor.h"

/**
 * Replaces `old`, to which the op's first `count` steps lead, by `value`. `old` is the root, or an
 * entry of a block. The op's own value is not used.
 */
int yaml_block_set(struct edit *edit, const struct edit_op *op, size_t count,
	const struct extent *old, const struct node *value);

/**
 * Adds the op's value to `in`, a block with entries. If `in` is a map, adds a pair of the last
 * step's key and the value.
 */
int yaml_block_add(struct edit *edit, const struct edit_op *op, const struct extent *in);

/** Removes from `in` what the op's last step names: an item, or all pairs that have the key. */
int yaml_block_remove(struct edit *edit, const struct edit_op *op, const struct extent *in);
