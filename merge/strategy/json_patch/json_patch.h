/*
 * JSON Patch (RFC 6902), as Python's module jsonpatch applies it for cloud-init.
 *
 * The document is copied once. Patches then change the copy. If YAML aliases share a value, a
 * change of this value shows at all its places, as in Python.
 */
#pragma once

#include "arena.h"
#include "origin.h"
#include "problem.h"
#include "table.h"

/* A bound on the work, because the work may grow faster than the input. */
struct work {
	uint64_t left; /* values that may still be read or copied */
};

/* Number of list entries that memmove(3) shifts in the time in which one value is copied. */
#define WORK_SHIFT 16

/* Counts `units` values. Returns false if too few are left: the caller must stop. */
static inline bool work_spend(struct work *work, uint64_t units)
{
	if (units > work->left)
		return false;
	work->left -= units;
	return true;
}

/*
 * Bit of node.mark: the list is an item of !!omap or !!pairs, a tuple in Python. A patch can't
 * change the tuple's items. The tuple equals no list.
 */
#define MARK_TUPLE 0x80

/* A document that is being patched. The caller sets the members before "private". */
struct json_patch {
	struct arena *arena;
	struct work *work;
	struct problem *problem;
	struct origins *origins;     /* NULL: off */
	const struct table *aliased; /* for each copy of an aliased map or list, the original */
	unsigned depth;              /* maximum depth of nested maps and lists */
	const struct node *root;     /* the document, with the patches so far */

	/* private: */
	struct origin_why why; /* of the operation that is being applied */
	enum {
		JSON_PATCH_STAYS,
		JSON_PATCH_MOVES,  /* the operation removes a value and puts it elsewhere */
		JSON_PATCH_COPIES, /* the operation puts a copy of a value elsewhere */
	} transfer;
};

/**
 * Applies the list `operations`, which was read with read_options.keep_duplicates. Returns 0,
 * PROBLEM at the operation that fails, or -ENOMEM.
 */
int json_patch_apply(struct json_patch *patch, const struct node *operations);

/** Ends patching: patch->root is immutable from now on. Returns 0 or PROBLEM. */
int json_patch_close(struct json_patch *patch);

/** Does work_spend(). Returns 0, or PROBLEM at `node` if too little work is left. */
int json_patch_spend(struct json_patch *patch, uint64_t units, const struct node *node);

/**
 * Sets *ret to a copy of `node` that may be changed. Before the first patch, set patch->root to
 * such a copy of the document. Returns 0, PROBLEM or -ENOMEM.
 */
int json_patch_copy(struct json_patch *patch, const struct node *node, const struct node **ret);
