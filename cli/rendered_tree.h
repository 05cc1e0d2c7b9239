/*
 * Trees that plyfs render has written. The kernel lists mounts but not these trees: a directory
 * with a manifest is a rendered tree. Its status is in the same place as that of a mount
 * (plyfs_mount.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct unified;

/**
 * Finds the rendered tree that contains `path`, which must exist. Ignores trees of other users than
 * root and this one. Returns 0 with *ret for free(3), -ENOENT if it is in none, or another -errno.
 */
int rendered_tree_find(const char *path, char **ret);

/**
 * Returns the part of `real` behind the tree's root and the name of its generation. `real` is a
 * path without links, in the tree.
 */
const char *rendered_tree_inner(const char *root, const char *real);

/** Prints the tree's drift, for people. Returns an exit code. */
int rendered_tree_print_drift(const char *root);

/** Prints the tree's status and its present state, as JSON. Returns an exit code. */
int rendered_tree_print_json(const char *root);

/**
 * Prints the difference between the drifted files and the contents that plyfs has written. *differs
 * is set if there is any. Returns an exit code.
 */
int rendered_tree_diff(const struct unified *how, const char *root, bool *differs);
