/*
 * Trees of files, each reached by a descriptor of its root. The functions never follow a symbolic
 * link in a tree. A tree is at most TREE_DEPTH_MAX directories deep.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "path_list.h"
#include "span.h"

/* Maximum length of a path, in bytes. PATH_MAX is 4096, and we append our own names to paths. */
#define TREE_PATH_MAX 3500

/* Maximum depth of directories. */
#define TREE_DEPTH_MAX 100

/**
 * Returns NULL if `path` can be a file's path in a tree. Otherwise returns the reason why it can't:
 * a static phrase, which a message puts after "the key".
 */
const char *tree_path_refuse(struct span path);

/* A positive result of replica_draft_put() (replica.h). */
enum {
	TREE_CLASH = 1, /* a directory is in the place of the file */
};

/* The difference of two trees. A file is unchanged if it is the same inode in both trees. */
struct tree_difference {
	size_t count; /* files in the second tree */
	size_t same;
	size_t changed;
	size_t added;
	size_t removed; /* files of the first tree that the second does not have */
};

/** Removes `name` in `fd`, with everything in it; `name` may be missing. Returns 0 or -errno. */
int tree_remove(int fd, const char *name);

/** Fills the empty directory `to` with hard links to all files in `from`. Returns 0 or -errno. */
int tree_link(int from, int to);

/** If `from` has a file at `path`, makes a hard link to it in `to`. Returns 0 or -errno. */
int tree_link_file(int from, int to, const char *path);

/**
 * Replaces the directory at `path` by a new directory, which is first made as `name` in the
 * directory `stage_fd`. Moves all names of the old directory to the new one. Returns 0 or -errno.
 */
int tree_renew(int fd, const char *path, int stage_fd, const char *name);

/** Examines the file at `path`. Returns 0; -ENOENT, also for a directory; or another -errno. */
int tree_stat(int fd, const char *path, struct stat *ret);

/** Returns whether `one` and `other` are attributes of the same file. */
bool tree_is_same(const struct stat *one, const struct stat *other);

/** Compares two trees. `from` -1: an empty tree. Returns 0 or -errno. */
int tree_compare(int from, int to, struct tree_difference *ret);

/**
 * Compares trees that differ only at `paths`, each of which is listed once. The first tree has
 * `before` files. Returns 0 or -errno.
 */
int tree_compare_at(int from, int to, const struct path_list *paths, size_t before,
	struct tree_difference *ret);

/**
 * Opens the parent directory of `path`; *name becomes the last part of `path`. If `clash` is not
 * NULL, makes missing directories, and removes a file in the place of a directory. *clash becomes
 * the length of the removed file's path, or 0. Returns a descriptor for close(2); -ENOENT or
 * -ENOTDIR if there is no such directory; or another -errno.
 */
int tree_open_parent(int fd, const char *path, const char **name, size_t *clash);

/** Returns whether the file `name` in the directory `fd` has exactly these bytes and this mode. */
bool tree_has(int fd, const char *name, struct span bytes, mode_t mode);

/**
 * Writes a new file, or a symbolic link if `mode` is S_IFLNK. With `is_synced`, waits until the
 * file's bytes are on the disk. Returns 0; or -errno: no file was made.
 */
int tree_write(int fd, const char *name, struct span bytes, mode_t mode, bool is_synced);

/** Removes the file at `path`, if any, and directories that become empty. Returns 0 or -errno. */
int tree_unlink(int fd, const char *path);
