/*
 * PyYAML's safe loader, as cloud-init calls it, on a tree of YAML 1.1.
 *
 * plyfs keeps a scalar's text, but PyYAML turns it into a value. If PyYAML can't, the text is
 * refused here, with PyYAML's reason. If PyYAML accepts more than the grammar of the type (`!!int
 * "0o17"` is 15), or makes a value of another kind (!!omap is a list of pairs, which have
 * MARK_TUPLE), the value is rewritten, so that no other code has to deal with it.
 */
#pragma once

#include "node.h"
#include "problem.h"

/**
 * Refuses the values that PyYAML refuses. *ret is the tree as Python has it: `node` itself, or a
 * copy in `arena` if a part of it was rewritten. Returns 0, PROBLEM or -ENOMEM.
 */
int pyyaml_load(const struct node *node, struct arena *arena, const struct node **ret,
	struct problem *problem);

/** Decodes a !!binary that pyyaml_load() accepted, into `arena`. Returns 0 or -ENOMEM. */
int pyyaml_binary(const struct node *binary, struct arena *arena, struct span *ret);
