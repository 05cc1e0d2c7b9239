/*
 * JSON Patch (RFC 6902), as Python's module jsonpatch applies it for cloud-init.
 *
 * The document is copied once. Any number of patches then change the copy. A value that a YAML
 * alias shares is shared in the copy, too. So, as in Python, a change at one place of the value
 * shows at all its places.
 */
#pragma once

#include "arena.h"
#include "origin.h"
#include "problem.h"
#include "table.h"

/*
 * A bound on work that grows faster than the input: each of many small patches may copy a large
 * document. The unit is one value that is read or copied.
 */
struct work {
	uint64_t left; /* units */
};

/* Entries of a list that memmove(3) shifts in the time of one unit. */
#define WORK_SHIFT 16

/* Counts `units`. Returns false if the bound is exceeded; the caller must stop in that case. */
static inline bool work_spend(struct work *work, uint64_t units)
{
	if (units > work->left)
		return false;
	work->left -= units;
	return true;
}

/*
 * Bit of node.mark: the list is an item of !!omap or !!pairs, in Python a tuple. A patch can't
 * change the items of a tuple. A tuple equals no list.
 */
#define MARK_TUPLE 0x80

/* A document that is being patched. The caller sets the members that are not private. */
struct json_patch {
	struct arena *arena;
	struct work *work;
	struct problem *problem;
	struct origins *origins; /* NULL: off */
	/* gives the original of each copy of an aliased map or list; may be empty */
	const struct table *aliased;
	unsigned depth;          /* maximum depth of nested maps and lists */
	const struct node *root; /* the document, with the patches so far */

	/* private: */
	struct origin_why why; /* of the operation that is being applied */
	enum {
		JSON_PATCH_STAYS,
		JSON_PATCH_MOVES,  /* the operation removes a value and puts it elsewhere */
		JSON_PATCH_COPIES, /* the operation puts a copy of a value elsewhere */
	} transfer;
};

/**
 * Applies all of `operations`, which were read with read_options.keep_duplicates. Returns 0,
 * PROBLEM at the operation that fails, or -ENOMEM.
 */
int json_patch_apply(struct json_patch *patch, const struct node *operations);

/** Ends patching: patch->root is immutable from now on. Returns 0 or PROBLEM. */
int json_patch_close(struct json_patch *patch);

/** Counts `units` of work. Returns 0, or PROBLEM at `node` if patch->work is used up. */
int json_patch_spend(struct json_patch *patch, uint64_t units, const struct node *node);

/**
 * Sets *ret to a copy of `node` which may be changed. The caller copies the document by it, as
 * patch->root, before the first patch. Returns 0, PROBLEM or -ENOMEM.
 */
int json_patch_copy(struct json_patch *patch, const struct node *node, const struct node **ret);
