/*
 * What PyYAML's safe loader, as cloud-init calls it, makes of a tree of YAML 1.1.
 *
 * plyfs keeps a scalar's text, and PyYAML makes a value of it: what it makes none of is refused
 * here, with PyYAML's reason. Where it understands more than the type's own grammar (`!!int "0o17"`
 * is 15), and where it makes another kind of value (!!omap is a list of pairs), it is written anew,
 * so that nothing else needs to know.
 */
#pragma once

#include "node.h"
#include "problem.h"

/**
 * Finds what PyYAML refuses. *ret is the tree as Python has it: `node` itself or, where some of it
 * was written anew, a copy in `arena`. 0, PROBLEM or -ENOMEM.
 */
int pyyaml_load(const struct node *node, struct arena *arena, const struct node **ret,
	struct problem *problem);

/** The bytes that a !!binary which pyyaml_load() took stands for, in `arena`. 0 or -ENOMEM. */
int pyyaml_binary(const struct node *binary, struct arena *arena, struct span *ret);
