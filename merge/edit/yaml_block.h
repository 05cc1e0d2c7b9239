/*
 * Entries of YAML's blocks, which come and go with their lines, and values that stand in lines: an
 * entry's, or the root.
 *
 * All functions return 0; EDIT_CANNOT, when the lines can't be told from others; PROBLEM, when the
 * value can't be written, or would take away what people must look after; or -ENOMEM.
 */
#pragma once

#include "editor.h"

/**
 * Puts `value` in the place of `old`, to which the op's first `count` steps lead: the root, or an
 * entry of a block. The op's own value does not count.
 */
int yaml_block_set(struct edit *edit, const struct edit_op *op, size_t count,
	const struct extent *old, const struct node *value);

/** Puts the op's value, and its key if it has one, into `in`, a block with entries. */
int yaml_block_add(struct edit *edit, const struct edit_op *op, const struct extent *in);

/** Takes out of `in` what the op's last step leads to: of a key, all of its pairs. */
int yaml_block_remove(struct edit *edit, const struct edit_op *op, const struct extent *in);
