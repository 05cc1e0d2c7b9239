/*
 * JSON Patch (RFC 6902), as the jsonpatch module applies it for cloud-init.
 *
 * The patched document is a copy in which what was shared (a YAML alias) is still shared: a change
 * of one shows in the other, as it does in the original. One copy serves any number of patches.
 */
#pragma once

#include "arena.h"
#include "node.h"
#include "problem.h"
#include "work.h"

struct json_patch;

/**
 * Opens `root` for patching. `arena`, `work` and `problem` are borrowed until json_patch_free();
 * `depth` bounds maps and lists in each other. 0 with *ret, PROBLEM, or -ENOMEM.
 */
int json_patch_open(const struct node *root, struct arena *arena, struct work *work, unsigned depth,
	struct problem *problem, struct json_patch **ret);

/** Applies all of `operations`, read with keep_duplicates. 0, PROBLEM at the one that fails, or
 * -ENOMEM. */
int json_patch_apply(struct json_patch *patch, const struct node *operations);

/** The document as a whole, as patched so far: good for looking at its kind. */
const struct node *json_patch_root(const struct json_patch *patch);

/** The patched document, which lies in the arena and is not changed any more. */
int json_patch_close(struct json_patch *patch, const struct node **ret);

/** NULL is fine. */
void json_patch_free(struct json_patch *patch);
