/*
 * Edits of the pairs of a section, or of the root, in a text of lines. A key may have several
 * pairs, one for each of its values. The pairs before the first value that changes, and those
 * after the last one, keep every byte.
 *
 * All functions return 0; EDIT_CANNOT if lines can't express the change; PROBLEM if the value can't
 * be written; or -ENOMEM.
 */
#pragma once

#include "line_new.h"

/**
 * Replaces all pairs of the key by those that the format writes for `value`, or adds pairs if the
 * key has none. There are two exceptions:
 *
 *   - In a format, or INI dialect, where only the key's last pair counts, the others stay.
 *   - In a unit of systemd, an empty value drops the values before it. If the new values begin with
 *     an empty one, the old pairs before the last empty old pair stay.
 */
int line_pair_set(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, const struct node *value);

/** Removes all of the key's pairs. */
int line_pair_remove(const struct line_editor *editor, const struct line_section *section,
	const struct node *key);

/**
 * Applies the op, whose first `done` steps lead to the section. The next step is a key, which means
 * all its pairs. An index after the key means one pair; it counts only pairs that have an effect.
 */
int line_pair_edit(const struct line_editor *editor, const struct line_section *section,
	size_t done, const struct edit_op *op);
