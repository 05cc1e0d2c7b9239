/*
 * The guard of YAML: checks that keep an edit away from anchors, aliases and merge keys. These
 * connect places of the text: a change at one place would show at another.
 *
 * All functions return 0 if the edit may continue; or PROBLEM with the place; or EDIT_CANNOT.
 */
#pragma once

#include "editor.h"

/** Checks that a value that the edit would remove has no anchor, alias or merge key. */
int yaml_guard_value(const struct edit *edit, const struct extent *extent);

/**
 * Checks the maps and lists that the op's steps lead through. None may be an alias, have an anchor
 * to which an alias refers, or come from a merge key. If one of these maps or lists is not written
 * in the text, returns EDIT_CANNOT. *in becomes the map or list around the op's place; NULL if the
 * op has no step.
 */
int yaml_guard_path(const struct edit *edit, const struct edit_op *op, const struct extent **in);

/** Checks that the step's entry of `in` may be removed, and that no merge key brings it back. */
int yaml_guard_removed(
	const struct edit *edit, const struct extent *in, const struct edit_step *step);
