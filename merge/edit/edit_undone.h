/*
 * Undone ops: ops of an edit that a later op of the same edit undoes. A removal undoes all earlier
 * ops within the removed entry. If an earlier op made that entry, the removal undoes this op, too,
 * and need not be done itself. The edit leaves all these ops out, so that the text keeps its
 * comments and blank lines.
 */
#pragma once

#include "edit_tree.h"

/**
 * Sets undone[i] for each resolved op `i` that may be left out. `undone` must be all false.
 * trees[i] is the tree before op `i`; trees[count] is the last tree. If there are several ops, and
 * the last tree is the same as the first, sets all. Returns whether any is set.
 *
 * The caller must check that the other ops alone lead to the same last tree, or else do all ops.
 * They lead to another tree if, for example, an undone op also makes a map on the way to its entry:
 * the removal of the entry would leave that map.
 */
bool edit_undone_find(
	const struct edit_op *ops, const struct edit_tree *trees, size_t count, bool *undone);
