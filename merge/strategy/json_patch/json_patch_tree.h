/*
 * The document that a JSON Patch changes: how it is copied, opened and closed (json_patch.h), and
 * what the operations in json_patch.c need for it.
 */
#pragma once

#include "json_patch.h"

struct json_patch {
	struct arena *arena;
	struct work *work;
	struct problem *problem;
	struct origins *origins;
	const struct node_memo *aliased;
	unsigned depth;
	const struct node *root;
	struct origin_why why; /* the operation that is being applied */
	bool is_moving;        /* it takes a value out to put it elsewhere */
	bool is_copying;       /* it copies a value that stays */
};

/** Counts work. 0, or PROBLEM at `node`. */
int json_patch_spend(struct json_patch *patch, uint64_t units, const struct node *node);

/** A copy of a value that may be changed. 0, PROBLEM or -ENOMEM. */
int json_patch_copy(struct json_patch *patch, const struct node *node, const struct node **ret);
