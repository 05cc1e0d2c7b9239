/*
 * Edits of entries in YAML's flow style: replaces a value, or adds one.
 *
 * Both functions return 0; PROBLEM if the value can't be written, or yaml_guard.h refuses the edit;
 * or -ENOMEM.
 */
#pragma once

#include "editor.h"

/** Replaces the value of `old`, an entry of `in`. The old value may be unwritten: {a, b:}. */
int yaml_flow_set(struct edit *edit, const struct extent *in, const struct extent *old,
	const struct node *value);

/**
 * Adds the op's value to `in`. If `in` is a map, the value gets the key of the op's last step.
 * Empty brackets become a block, if a block may stand there. If the brackets of
 * `in` are not where they are expected, returns EDIT_CANNOT.
 */
int yaml_flow_add(struct edit *edit, const struct edit_op *op, const struct extent *in);
