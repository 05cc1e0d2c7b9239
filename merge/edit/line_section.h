/*
 * The sections of a text of lines, with their headers: of one name there may be several, which are
 * one map, or a list of maps.
 *
 * All functions return 0; EDIT_CANNOT, when lines can't say it; PROBLEM, when a value can't be
 * written; or -ENOMEM.
 */
#pragma once

#include "line_place.h"

/**
 * Puts new sections of that name, what the format writes `value` as, in front of the one at
 * `before`; NULL: behind all of them, or at the end of the text.
 */
int line_section_add(const struct line_editor *editor, const struct node *name,
	const struct node *value, const struct extent *before);

/** Takes out all sections of that name, each from its header to its last pair. */
int line_section_remove(const struct line_editor *editor, const struct node *name);

/** The section's pairs, which are the map `there`, become those of the map `value`. */
int line_section_set(const struct line_editor *editor, const struct line_section *section,
	const struct node *there, const struct node *value);

/** The sections of that name, which are the list of maps `there`, become those of the list `value`.
 */
int line_section_set_list(const struct line_editor *editor, const struct node *name,
	const struct node *there, const struct node *value);

/** Does the op, whose first two steps lead to an item of `list`, to that section or in it. */
int line_section_edit_item(
	const struct line_editor *editor, const struct node *list, const struct edit_op *op);
