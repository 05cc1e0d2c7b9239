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

struct json_patch;

/* What patches work with. */
struct json_patch_setting {
	struct arena *arena;
	struct work *work;
	struct problem *problem;
	struct origins *origins;         /* NULL: nobody asks */
	const struct node_memo *aliased; /* by what was written out of an alias: what was shared */
	unsigned depth;                  /* of maps and lists in each other that is allowed */
};

/**
 * Opens `root` for patching. What is in `setting` is borrowed until json_patch_free().
 * 0 with *ret, PROBLEM, or -ENOMEM.
 */
int json_patch_open(
	const struct node *root, const struct json_patch_setting *setting, struct json_patch **ret);

/** Applies all of `operations`, read with keep_duplicates. 0, PROBLEM at the one that fails, or
 * -ENOMEM. */
int json_patch_apply(struct json_patch *patch, const struct node *operations);

/** The document as a whole, as patched so far: good for looking at its kind. */
const struct node *json_patch_root(const struct json_patch *patch);

/** The patched document, which lies in the arena and is not changed any more. */
int json_patch_close(struct json_patch *patch, const struct node **ret);

/** NULL is fine. */
void json_patch_free(struct json_patch *patch);
