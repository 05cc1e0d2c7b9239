/*
 * Edits of the pairs in a section of a text of lines, or in its root. A key may have several pairs;
 * those that keep their value keep every byte.
 *
 * All functions return 0; EDIT_CANNOT if lines can't express the change; PROBLEM if the value can't
 * be written; or -ENOMEM.
 */
#pragma once

#include "line_place.h"

/** Sets the key's pairs to those that the format writes for `value`. A missing key is added. */
int line_pair_set(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, const struct node *value);

/** Removes all of the key's pairs. */
int line_pair_remove(const struct line_editor *editor, const struct line_section *section,
	const struct node *key);

/**
 * Applies the op, whose first `done` steps lead to the section. One more step leads to a pair, two
 * lead to an item of its list.
 */
int line_pair_edit(const struct line_editor *editor, const struct line_section *section,
	size_t done, const struct edit_op *op);
