/*
 * Edits of the pairs of a section, or of the root, in a text of lines. A key may have several
 * pairs, one for each of its values. If only some values in the middle change, the pairs before and
 * after these keep every byte.
 *
 * All functions return 0; EDIT_CANNOT if lines can't express the change; PROBLEM if the value can't
 * be written; or -ENOMEM.
 */
#pragma once

#include "line_place.h"

/**
 * Changes the key's pairs to those that the format writes for `value`, or adds them if there are
 * none. This concerns all of the key's pairs, with two exceptions:
 *
 *   - In a format, or INI dialect, where only the last pair of the key counts, the others stay.
 *   - In a unit of systemd, an empty value drops the values before it. If the new values begin with
 *     an empty one, the pairs before the old text's last empty value stay. If not, those pairs and
 *     the one with the empty value are changed or removed like all others.
 */
int line_pair_set(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, const struct node *value);

/** Removes all of the key's pairs. */
int line_pair_remove(const struct line_editor *editor, const struct line_section *section,
	const struct node *key);

/**
 * Applies the op, whose first `done` steps lead to the section. The next step is a key; it stands
 * for all pairs of the key. If an index follows, it selects one of those pairs that have an effect.
 */
int line_pair_edit(const struct line_editor *editor, const struct line_section *section,
	size_t done, const struct edit_op *op);
