/*
 * JSON Patch (RFC 6902), as the jsonpatch module applies it for cloud-init.
 *
 * The patched document is a copy in which what was shared (a YAML alias) is still shared: a change
 * of one shows in the other, as it does in the original. One copy serves any number of patches.
 */
#pragma once

#include "arena.h"
#include "node_memo.h"
#include "origin.h"
#include "problem.h"
#include "work.h"

/* One document that is being patched. The caller sets what is not private. */
struct json_patch {
	struct arena *arena;
	struct work *work;
	struct problem *problem;
	struct origins *origins;         /* NULL: nobody asks */
	const struct node_memo *aliased; /* by what was written out of an alias: what was shared */
	unsigned depth;                  /* of maps and lists in each other that is allowed */
	const struct node *root;         /* the document, as patched so far */

	/* private: */
	struct origin_why why; /* the operation that is being applied */
	bool is_moving;        /* it takes a value out to put it elsewhere */
	bool is_copying;       /* it copies a value that stays */
};

/** Opens patch->root for patching. 0, PROBLEM, or -ENOMEM. */
int json_patch_open(struct json_patch *patch);

/** Applies all of `operations`, read with keep_duplicates. 0, PROBLEM at the one that fails, or
 * -ENOMEM. */
int json_patch_apply(struct json_patch *patch, const struct node *operations);

/** patch->root lies in the arena and is not changed any more. 0 or PROBLEM. */
int json_patch_close(struct json_patch *patch);

/* For json_patch.c, of json_patch_tree.c: */

/** Counts work. 0, or PROBLEM at `node`. */
int json_patch_spend(struct json_patch *patch, uint64_t units, const struct node *node);

/** A copy of a value that may be changed. 0, PROBLEM or -ENOMEM. */
int json_patch_copy(struct json_patch *patch, const struct node *node, const struct node **ret);
