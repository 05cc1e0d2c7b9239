/*
 * A spare: the tree that was the present one before, kept to become a draft. A transaction then
 * costs what it changes, and not all that there is.
 *
 *      STATE/tree.7/    the present tree
 *      STATE/spare/     tree.6, as it was; and a list of the paths in which the two differ
 *
 * Somebody may still be reading in it. So none of its directories is ever changed: where something
 * is to be different, a new directory takes the place of the old one, whose names are moved over.
 * Who has the old one open reads the old state or nothing, as in a tree that is removed.
 */
#pragma once

#include <stdbool.h>

#include "path_list.h"

/* Paths that a spare may differ in. With more, a copy of the present tree is cheaper. */
#define SPARE_STALE_MAX 2000

/* fd -1: there is none. */
struct spare {
	int state_fd; /* lent */
	int fd;
	struct path_list stale;
};

/** Keeps the tree `name`, open as `fd`, which belongs to the spare then; `stale` is emptied into
 * it. */
void spare_keep(struct spare *spare, const char *name, int fd, struct path_list *stale);

/** The file at `path` of the present tree has changed. */
void spare_note(struct spare *spare, const char *path);

/** Whether it can become a draft in which so many paths change. */
bool spare_is_worth_it(const struct spare *spare, size_t changes);

/**
 * The spare becomes the tree `name`, equal to the present one; in it the files at `changes`, which
 * are sorted, may be changed, and no other. A descriptor, or -errno, with what there is at `name`
 * to be removed.
 */
int spare_take(
	struct spare *spare, const char *name, int present_fd, const struct path_list *changes);

/** Removes it, if there is one, or what is left of one. */
void spare_drop(struct spare *spare);

/** Lets go of it where it lies. */
void spare_fini(struct spare *spare);
