/*
 * PyYAML's safe loader, as cloud-init calls it, on a tree of YAML 1.1.
 *
 * plyfs keeps a scalar's text, but PyYAML turns the text into a value. If PyYAML can't do that,
 * this module refuses the text, with PyYAML's reason.
 *
 * PyYAML accepts more than a type's grammar: `!!int "0o17"` is 15. It also changes the kind of
 * some values: the items of an !!omap, maps of one key, become pairs. This module rewrites such
 * values. A pair becomes a list with MARK_TUPLE (json_patch.h).
 */
#pragma once

#include "node.h"
#include "problem.h"

/**
 * Refuses the values that PyYAML refuses, and rewrites others. Returns 0 with *ret, the tree `node`
 * itself or, if a value was rewritten, a copy in `arena`; PROBLEM; or -ENOMEM.
 */
int pyyaml_load(const struct node *node, struct arena *arena, const struct node **ret,
	struct problem *problem);

/** Decodes a !!binary that pyyaml_load() accepted, into `arena`. Returns 0 or -ENOMEM. */
int pyyaml_binary(const struct node *binary, struct arena *arena, struct span *ret);
