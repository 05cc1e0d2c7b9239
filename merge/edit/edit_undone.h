/*
 * The ops that a later op of the same edit undoes. A removal undoes the op that made its entry, and
 * all ops within the entry. They are left out: the text, with its comments and blank lines, stays
 * as if nobody had asked for them.
 */
#pragma once

#include "edit_tree.h"

/**
 * Marks the ops that need not be done, among `count` resolved ones. `trees` has the tree before
 * each of them, and after the last one. Returns whether there are any.
 *
 * If the other ops don't lead to the same tree, all ops must be done: a map that was made on the
 * way to an entry stays, for example.
 */
bool edit_undone_find(
	const struct edit_op *ops, const struct edit_tree *trees, size_t count, bool *undone);
