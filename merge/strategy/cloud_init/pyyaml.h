/*
 * Converts a tree of YAML 1.1 as PyYAML's safe loader does for cloud-init.
 *
 * If PyYAML can't turn a scalar's text into a value, this module refuses the text, with PyYAML's
 * reason. Values that PyYAML changes are rewritten. `!!int "0o17"` becomes 15. In an !!omap or
 * !!pairs, each item, a map of one key, becomes a list with MARK_TUPLE (json_patch.h).
 */
#pragma once

#include "node.h"
#include "problem.h"

/**
 * Sets *ret to `node`, or, if a value in it is rewritten, to a copy in `arena`. Returns 0; PROBLEM
 * if a value is refused; or -ENOMEM.
 */
int pyyaml_load(const struct node *node, struct arena *arena, const struct node **ret,
	struct problem *problem);

/** Decodes a !!binary that pyyaml_load() accepted, into `arena`. Returns 0 or -ENOMEM. */
int pyyaml_binary(const struct node *binary, struct arena *arena, struct span *ret);
