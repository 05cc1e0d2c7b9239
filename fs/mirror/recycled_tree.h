/*
 * A recycled tree: the previous tree of a replica (replica.h), kept to become the next draft.
 *
 *      STATE/tree.7/    the present tree
 *      STATE/spare/     tree.6, as it was; the paths at which the two differ are in memory
 *
 * Other processes may still read in the recycled tree. If a directory in it must change, a new
 * directory takes its place: a process that has the old directory open reads the old state or
 * nothing.
 */
#pragma once

#include <stdbool.h>

#include "path_list.h"

/* Maximum number of `stale` paths. For more, a copy of the present tree is cheaper. */
#define RECYCLED_TREE_STALE_MAX 2000

/* fd -1: there is no recycled tree. */
struct recycled_tree {
	int state_fd; /* lent */
	int fd;
	struct path_list stale; /* paths at which this tree may differ from the present one */
};

/**
 * Makes the tree `name` in STATE the recycled one. `stale` has the paths at which this tree differs
 * from the present one. Takes over `fd`, the tree's descriptor, and the contents of `stale`.
 */
void recycled_tree_keep(
	struct recycled_tree *recycled, const char *name, int fd, struct path_list *stale);

/** Notes that the file at `path` has changed in the present tree, but not in the recycled one. */
void recycled_tree_note(struct recycled_tree *recycled, const char *path);

/** Returns whether the recycled tree is the cheapest base of a draft with `changes` changes. */
bool recycled_tree_is_worth_it(const struct recycled_tree *recycled, size_t changes);

/**
 * Renames the recycled tree to `name`, and makes it equal to the present tree. The caller may then
 * change only the files at `changes`. Returns the tree's descriptor, for close(2), or -errno. After
 * an error the caller must remove `name`, if it exists.
 */
int recycled_tree_take(struct recycled_tree *recycled, const char *name, int present_fd,
	const struct path_list *changes);

/** Removes the recycled tree, or its remains, if there are any. */
void recycled_tree_drop(struct recycled_tree *recycled);

/** Frees the memory and leaves the recycled tree on the disk. */
void recycled_tree_fini(struct recycled_tree *recycled);
