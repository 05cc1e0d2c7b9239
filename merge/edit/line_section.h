/*
 * Edits of whole sections, headers included, in a text of lines. Several sections of one name are
 * one map, or a list of maps.
 *
 * All functions return 0; EDIT_CANNOT if lines can't express the change; PROBLEM if a value can't
 * be written; or -ENOMEM.
 */
#pragma once

#include "line_place.h"

/**
 * Inserts the sections that the format writes for `value` before the section `before`. If `before`
 * is NULL, they go after all sections named `name`, or, if there are none, to the end of the text.
 */
int line_section_add(const struct line_editor *editor, const struct node *name,
	const struct node *value, const struct extent *before);

/** Removes all sections named `name`, each with the comments above its header and all its pairs. */
int line_section_remove(const struct line_editor *editor, const struct node *name);

/** Changes the section's pairs from those of the map `there` to those of the map `value`. */
int line_section_set(const struct line_editor *editor, const struct line_section *section,
	const struct node *there, const struct node *value);

/** Changes the sections named `name` from the list of maps `there` to the list `value`. */
int line_section_set_list(const struct line_editor *editor, const struct node *name,
	const struct node *there, const struct node *value);

/**
 * Applies the op to an item of `list`, or to a value in that item. The op's first two steps lead to
 * the item.
 */
int line_section_edit_item(
	const struct line_editor *editor, const struct node *list, const struct edit_op *op);
