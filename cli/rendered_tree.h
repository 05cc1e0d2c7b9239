/*
 * Trees that plyfs render has written. The kernel lists mounts, but no rendered trees. A directory
 * with a manifest (manifest.h) is a rendered tree. The functions of plyfs_mount.h that read the
 * status of a mount also read that of a rendered tree, if its root is given as the mountpoint.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct document;
struct unified;

#define RENDERED_TREE_FOREIGN                                                                      \
	"is in a tree that another user has rendered; run this command as that user"

/**
 * Finds the rendered tree that contains `path`, which must exist. Returns 0 with *ret for free(3);
 * -ENOENT if there is none; -EPERM if a user other than root and our own has rendered it
 * (RENDERED_TREE_FOREIGN is the message); or another -errno.
 */
int rendered_tree_find(const char *path, char **ret);

/**
 * Returns the part of `real` after the tree's root. If the tree has generations, leaves out the
 * name of the generation, too. `real` is a path in the tree, without links.
 */
const char *rendered_tree_inner(const char *root, const char *real);

/** Prints the tree's drift (drift.h), for people. Returns an exit code. */
int rendered_tree_print_drift(const char *root);

/**
 * Prints as JSON the tree's status and drift, and whether a process renders the tree now. Returns
 * an exit code. If that is EXIT_DONE, *ret is the status, for document_free().
 */
int rendered_tree_print_json(const char *root, struct document **ret);

/**
 * Prints the differences between what plyfs would write now and the drifted files. A label says
 * whether the layers have changed since plyfs wrote the file. Returns an exit code.
 */
int rendered_tree_diff(struct unified *how, const char *root);
