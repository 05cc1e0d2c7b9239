/*
 * Edits of the pairs in a section of a text of lines, or in its root. A key may have several pairs.
 * The pairs of its first and its last values keep every byte if these values do not change.
 *
 * All functions return 0; EDIT_CANNOT if lines can't express the change; PROBLEM if the value can't
 * be written; or -ENOMEM.
 */
#pragma once

#include "line_place.h"

/**
 * Changes the key's pairs to those that the format writes for `value`. Earlier pairs stay as they
 * are if they have no effect after the change: because the new values begin with a reset, or
 * because only a key's last pair counts. A missing key is added.
 */
int line_pair_set(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, const struct node *value);

/** Removes all of the key's pairs. */
int line_pair_remove(const struct line_editor *editor, const struct line_section *section,
	const struct node *key);

/**
 * Applies the op, whose first `done` steps lead to the section. The next step is a key, and stands
 * for all of its pairs. An index after it selects one of those pairs that have an effect.
 */
int line_pair_edit(const struct line_editor *editor, const struct line_section *section,
	size_t done, const struct edit_op *op);
