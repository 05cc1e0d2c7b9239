/*
 * Trees that plyfs render has written: directories with a manifest (manifest.h). The functions of
 * plyfs_mount.h read the status of such a tree if they get its root as the mountpoint.
 */
#pragma once

struct document;
struct unified;

#define RENDERED_TREE_FOREIGN                                                                      \
	"is in a tree that another user has rendered; run this command as that user"

/**
 * Finds the rendered tree that contains `path`, which must exist. Returns 0 with the path of its
 * topmost directory in *ret, for free(3); -ENOENT: there is none; -EPERM: a user other than root
 * and this process's user has rendered it (message: RENDERED_TREE_FOREIGN); or another -errno.
 */
int rendered_tree_find(const char *path, char **ret);

/** Returns the part of `real` (a path without links) after the root and a generation's name. */
const char *rendered_tree_inner(const char *root, const char *real);

/** Prints the tree's drift (drift.h) as text. Returns an exit code. */
int rendered_tree_print_drift(const char *root);

/**
 * Prints as JSON the tree's status and drift, and whether a process renders the tree now. Returns
 * an exit code. After EXIT_DONE, *ret is the status, for document_free().
 */
int rendered_tree_print_json(const char *root, struct document **ret);

/**
 * Prints how each drifted file differs from what plyfs would write now. A label says whether the
 * layers have changed since plyfs wrote the file. Returns an exit code.
 */
int rendered_tree_diff(struct unified *how, const char *root);
