/*
 * The guard of YAML: checks that keep an edit away from anchors, aliases and merge keys. These
 * connect places of the text, so a change at one place would show at another. The user must edit
 * them by hand, and the problem says so.
 *
 * All functions return 0 if the edit may continue, or PROBLEM with the place.
 */
#pragma once

#include "editor.h"

/** Checks that a value that the edit would remove has no anchor, alias or merge key. */
int yaml_guard_value(const struct edit *edit, const struct extent *extent);

/**
 * Checks that no map or list that the op's steps lead through is an alias, has one, or comes from a
 * merge key. *in becomes the map or list around the op's place; NULL if the op has no step. Also
 * returns EDIT_CANNOT, if one of these maps and lists is not written in the text.
 */
int yaml_guard_path(const struct edit *edit, const struct edit_op *op, const struct extent **in);

/** Checks that the step's entry in `in` may be removed, and that no merge key brings it back. */
int yaml_guard_removed(
	const struct edit *edit, const struct extent *in, const struct edit_step *step);
