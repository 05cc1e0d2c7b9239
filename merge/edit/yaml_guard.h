/*
 * What an edit of YAML must leave alone: anchors, aliases and merge keys tie places together, and a
 * change of one would show at another. People are told to edit it by hand.
 *
 * All functions return 0 where an edit may go on, or PROBLEM, which names the place.
 */
#pragma once

#include "editor.h"

/** For a value that will be gone: nothing in it refers to another place, or is referred to. */
int yaml_guard_value(const struct edit *edit, const struct extent *extent);

/**
 * For all that the op's steps lead through: its change shows nowhere else. *in is the map or list
 * that the last step is in, and NULL if the op has no step. EDIT_CANNOT: nothing is written there.
 */
int yaml_guard_way(const struct edit *edit, const struct edit_op *op, const struct extent **in);

/** For what the step leads to in `in`: it may go, and no merge key brings it back. */
int yaml_guard_removed(
	const struct edit *edit, const struct extent *in, const struct edit_step *step);
