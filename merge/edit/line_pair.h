/*
 * The pairs of a section in a text of lines, or of its root: a key may have several, and of those
 * that stay alike no byte is changed.
 *
 * All functions return 0; EDIT_CANNOT, when lines can't say it; PROBLEM, when the value can't be
 * written; or -ENOMEM.
 */
#pragma once

#include "line_place.h"

/** The key's pairs become what the format writes `value` as; it gets them if it has none. */
int line_pair_set(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, const struct node *value);

/** Takes out all of the key's pairs. */
int line_pair_remove(const struct line_editor *editor, const struct line_section *section,
	const struct node *key);

/**
 * Does the op, whose first `done` steps lead to the section: to a pair, by one step more, or to an
 * item of its list, by two.
 */
int line_pair_edit(const struct line_editor *editor, const struct line_section *section,
	size_t done, const struct edit_op *op);
