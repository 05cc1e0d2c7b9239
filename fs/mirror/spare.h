/*
 * A spare: a recycled tree. The previous present tree is kept to become a draft, so a transaction
 * costs only what it changes.
 *
 *      STATE/tree.7/    the present tree
 *      STATE/spare/     tree.6, as it was; and a list of the paths in which the two differ
 *
 * Other processes may still be reading in it, so none of its directories is ever changed. A new
 * directory replaces the old one where something is to differ, and the old one's names are moved
 * over. A process that has the old one open reads the old state or nothing, as in a tree that is
 * removed.
 */
#pragma once

#include <stdbool.h>

#include "path_list.h"

/*
 * Maximum number of paths in which a spare may differ. Beyond it a copy of the present tree is
 * cheaper.
 */
#define SPARE_STALE_MAX 2000

/* fd -1: there is no spare. */
struct spare {
	int state_fd; /* lent */
	int fd;
	struct path_list stale;
};

/**
 * Makes the tree `name` the spare. `fd`, its descriptor, then belongs to the spare; `stale` is
 * moved into it.
 */
void spare_keep(struct spare *spare, const char *name, int fd, struct path_list *stale);

/** Notes that the file at `path` of the present tree has changed. */
void spare_note(struct spare *spare, const char *path);

/** Returns whether the spare can become a draft in which so many paths change. */
bool spare_is_worth_it(const struct spare *spare, size_t changes);

/**
 * Renames the spare to `name`, and makes it equal to the present tree. Only the files at `changes`,
 * which are sorted, may then be changed. Returns a descriptor; or -errno, and the caller must
 * remove whatever is at `name`.
 */
int spare_take(
	struct spare *spare, const char *name, int present_fd, const struct path_list *changes);

/** Removes the spare, or its remains, if there are any. */
void spare_drop(struct spare *spare);

/** Frees the memory and leaves the spare on the disk. */
void spare_fini(struct spare *spare);
