/*
 * Trees that plyfs render has written: found by the manifest in them, as mounts are in the kernel's
 * list. What a mount tells of itself they tell in the same place (plyfs_mount.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct unified;

/**
 * The rendered tree that `path`, which must exist, lies in: only one that root or the user himself
 * has rendered. Returns 0 with *ret for free(3), -ENOENT when it is in none, or another -errno.
 */
int rendered_tree_find(const char *path, char **ret);

/** Where in the tree a real path is: behind its generation. It must be in there. */
const char *rendered_tree_inner(const char *root, const char *real);

/** Prints what somebody has changed in it, for people. Returns an exit code. */
int rendered_tree_print_drift(const char *root);

/** Prints what it tells of itself with what it is now, as JSON. Returns an exit code. */
int rendered_tree_print_json(const char *root);

/**
 * Prints how what somebody has changed differs from what was written. *differs is set when there is
 * such. Returns an exit code.
 */
int rendered_tree_diff(const struct unified *how, const char *root, bool *differs);
