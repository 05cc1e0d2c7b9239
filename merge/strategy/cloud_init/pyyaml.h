/*
 * PyYAML's safe loader, as cloud-init calls it, on a tree of YAML 1.1.
 *
 * plyfs keeps a scalar's text, but PyYAML turns the text into a value. If PyYAML can't do that,
 * this module refuses the text, with PyYAML's reason.
 *
 * PyYAML accepts more than a type's grammar: `!!int "0o17"` is 15. It also changes the kind of
 * some values: each item of an !!omap, which is a map of one key, becomes a pair. This module
 * rewrites both sorts of values. A pair becomes a list with MARK_TUPLE (json_patch.h).
 */
#pragma once

#include "node.h"
#include "problem.h"

/**
 * Refuses the values that PyYAML refuses, and rewrites others. If it rewrites a value, *ret
 * becomes a copy in `arena`; otherwise *ret becomes `node`. Returns 0; PROBLEM if it refuses a
 * value; or -ENOMEM.
 */
int pyyaml_load(const struct node *node, struct arena *arena, const struct node **ret,
	struct problem *problem);

/** Decodes a !!binary that pyyaml_load() accepted, into `arena`. Returns 0 or -ENOMEM. */
int pyyaml_binary(const struct node *binary, struct arena *arena, struct span *ret);
