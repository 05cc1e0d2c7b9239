/*
 * Edits of the pairs in a section of a text of lines, or in its root. A key may have several pairs:
 * the first and the last ones keep every byte as far as they keep their values.
 *
 * All functions return 0; EDIT_CANNOT if lines can't express the change; PROBLEM if the value can't
 * be written; or -ENOMEM.
 */
#pragma once

#include "line_place.h"

/**
 * Changes the key's pairs to those that the format writes for `value`. Earlier pairs that then have
 * no effect stay as they are: those before a reset, or all but the last if only that counts. A
 * missing key is added.
 */
int line_pair_set(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, const struct node *value);

/** Removes all of the key's pairs. */
int line_pair_remove(const struct line_editor *editor, const struct line_section *section,
	const struct node *key);

/**
 * Applies the op, whose first `done` steps lead to the section. One more step is a key, with all of
 * its pairs; a second one is the index of one of those pairs that count.
 */
int line_pair_edit(const struct line_editor *editor, const struct line_section *section,
	size_t done, const struct edit_op *op);
