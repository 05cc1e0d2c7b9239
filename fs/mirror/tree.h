/*
 * A tree of files that is reached by a descriptor: made, linked, compared and removed. No symbolic
 * link in it is ever followed. Trees are at most KEY_PATH_DEPTH_MAX directories deep.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "path_list.h"
#include "span.h"

/* Positive results. */
enum {
	TREE_CLASH = 1, /* a file is wanted where a directory is */
	TREE_NO_PLACE,  /* its directory is not there */
};

/* Two trees, compared by what their files are: two names of one inode are the same file. */
struct tree_difference {
	size_t count; /* files of the second */
	size_t same;
	size_t changed;
	size_t added;
	size_t removed; /* files of the first that the second has not */
};

/** Opens the directory `name`. A descriptor, or -errno. */
int tree_open(int fd, const char *name);

/** Removes `name` and all that is in it; it may be missing. 0 or -errno. */
int tree_remove(int fd, const char *name);

/** Gives all that `from` has a second name in the directory `to`, which is empty. 0 or -errno. */
int tree_link(int from, int to);

/** Gives the file at `path` of `from` the same name in `to`, if there is one. 0 or -errno. */
int tree_link_file(int from, int to, const char *path);

/**
 * A new directory takes the place of the one at `path`, with all its names, which are moved: who
 * has the old one open sees them there or none. It is made as `name` in `spare_fd`. 0 or -errno.
 */
int tree_renew(int fd, const char *path, int spare_fd, const char *name);

/** What the file at `path` is; a directory is none. 0 or -errno, -ENOENT for all ways of not being.
 */
int tree_stat(int fd, const char *path, struct stat *ret);

/** Whether these are two names of one file. */
bool tree_is_same(const struct stat *one, const struct stat *other);

/** Compares. `from` may be -1: nothing. 0 or -errno. */
int tree_compare(int from, int to, struct tree_difference *ret);

/**
 * The same for trees that differ at `paths` alone, each of which is there once; the first has
 * `before` files. 0 or -errno.
 */
int tree_compare_at(int from, int to, const struct path_list *paths, size_t before,
	struct tree_difference *ret);

/**
 * The directory that `path` is in, and its last part in *name. With `is_made`, directories on the
 * way are made, and what is no directory there is removed: then *clash is how long its path is,
 * else 0. A descriptor; -ENOENT or -ENOTDIR; or another -errno.
 */
int tree_open_parent(int fd, const char *path, bool is_made, const char **name, size_t *clash);

/** Whether the file at `path` has just these bytes and this mode. */
bool tree_has(int fd, const char *path, struct span bytes, mode_t mode);

/** Writes a new file. With `is_synced` it is on the disk then. 0 or -errno, with nothing made. */
int tree_write(int fd, const char *name, struct span bytes, mode_t mode, bool is_synced);

/** Removes the file at `path`, and directories that are empty then. 0 or -errno; 0: not there. */
int tree_unlink(int fd, const char *path);
