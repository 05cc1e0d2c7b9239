/*
 * A layer: one directory of configuration files.
 *
 * A layer is reached only through the descriptor it was opened with: if the directory is renamed,
 * or something is mounted over it, we keep reading the same directory. No path leads out of it:
 * everything is opened with openat2(2), RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS, or one name at a
 * time where there is no openat2. `follow` allows symbolic links, also out of the layer (but never
 * the magic ones of /proc, nor into /proc, /sys and the like: -EACCES). There, names that begin
 * with ".." are not shown: they are what a Kubernetes volume consists of, and its other names are
 * links that lead through them.
 *
 * A `path` is relative to the layer and "" is the layer itself. One that has ".." in it or begins
 * with a slash gives -EXDEV. -ENOENT and -ENOTDIR mean that the layer has no such file; a link on
 * the way to it is no directory, unless `follow` is set.
 *
 * What `exclude` matches is not there, and neither is anything below it.
 *
 * A layer never changes after layer_open() and may be used by many threads. Nothing here writes.
 */
#pragma once

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/*
 * Layers of one mount: each costs a descriptor and a look at every path, and a set of them is one
 * word (layer_mask). plyfs.yaml(5) and the schema say the same number.
 */
#define LAYERS_MAX 64

struct store;

struct layer {
	char *name;    /* as `layers: [{name:}]`, unique in a mount */
	char *path;    /* as the user gave it, for messages */
	char *place;   /* where that is; absolute when `path` is relative to what is no more the
			  working directory */
	unsigned rank; /* 0 is the lowest precedence */
	bool optional; /* may be missing */
	bool follow;   /* symbolic links are followed, also out of the layer */
	int dirfd;     /* O_PATH; -1: optional and missing */
	const char *const *exclude; /* patterns (glob.h), ending with NULL; at first of what git and
				       editors keep beside the files they work on. Borrowed */
	struct store *store;        /* that a mirror keeps it equal to (store.h); NULL: none does */
	char *covered; /* what the mount itself lies on, relative to the layer; NULL: nothing in it
			*/
};

/**
 * Opens the directory `path` as a layer. `name` and `path` are copied.
 * Returns 0 with *ret for layer_free(), or -errno: -EACCES also for a directory that may be entered
 * but not listed. With `optional` it is no failure when nothing is there: the layer is then empty.
 */
int layer_open(const char *name, const char *path, unsigned rank, bool optional, bool follow,
	struct layer **ret);
/** Has messages call it `path`, as the user gave it. Returns 0 or -ENOMEM. */
int layer_call(struct layer *layer, const char *path);

/** Whether `path` is excluded. */
bool layer_excludes(const struct layer *layer, const char *path);

/** Notes where it is by now. Returns 0 or -ENOMEM. */
int layer_put(struct layer *layer, const char *place);

void layer_free(struct layer *layer);
void layer_freep(struct layer **layer);

/**
 * Notes that the mount itself lies on the directory `mountpoint` (absolute, with no links): if that
 * is in the layer, it is not there for us. What we show there is no source of what we show.
 * Returns 0 or -ENOMEM. Before the layer is seen by a second thread.
 */
int layer_cover(struct layer *layer, const char *mountpoint);

/**
 * The topmost directory above the layer that others may not search, and that the absolute path
 * `beside` does not lie in: who gets to `beside` may still not get to the layer. *ret is "" when
 * there is none, or it can't be told.
 */
void layer_closed_above(const struct layer *layer, const char *beside, char ret[PATH_MAX]);

/** Whether `path` is at, or beneath, what the mount lies on. */
bool layer_is_covered(const struct layer *layer, const char *path);

/** lstat(2) of `path`; stat(2) with `follow`; of a directory as layer_stat_rights(). */
int layer_stat(const struct layer *layer, const char *path, struct stat *ret);

/**
 * The same, and leaves of the mode what the access list gives (access_list.h) and, with `follow`,
 * the way to it (way.h). It costs as much again. Returns 0 or -errno.
 */
int layer_stat_rights(const struct layer *layer, const char *path, struct stat *ret);

/**
 * Opens a regular file for reading (O_NONBLOCK, O_NOFOLLOW unless `follow`: a FIFO that is dropped
 * into a layer must not hang the mount). *ret is fstat(2)'s of the
 * descriptor, with what the access list leaves of the mode. Returns a descriptor, or -errno;
 * -ENOENT also for what is no regular file.
 */
int layer_open_file(const struct layer *layer, const char *path, struct stat *ret);

/** Opens a directory, O_PATH: to be watched by way of /proc/self/fd. A descriptor, or -errno. */
int layer_open_directory(const struct layer *layer, const char *path);

/**
 * Opens the directory that `path` lies in, O_PATH; *name is the rest of `path`. A descriptor, or
 * -errno.
 */
int layer_open_parent(const struct layer *layer, const char *path, const char **name);

/** Opens whatever `path` is, O_PATH. A descriptor, or -errno. */
int layer_open_path(const struct layer *layer, const char *path);

/**
 * Calls `each` for every name in the directory but "." and "..", in the order of readdir(3), with
 * its d_type: with `follow` that of a link's target (a link to nothing is left out), and DT_UNKNOWN
 * only for what stat(2) is refused for. A non-zero result of `each` ends it and is returned.
 * Returns 0 or -errno.
 */
int layer_list(const struct layer *layer, const char *path,
	int (*each)(void *context, const char *name, unsigned char type), void *context);

/**
 * The target of a symbolic link, NUL-terminated. Returns 0 with *ret for free(3), or -errno:
 * -EINVAL for what is no link.
 */
int layer_read_link(const struct layer *layer, const char *path, char **ret);

/**
 * Whether it lies where the kernel tells of processes and of itself: what stands there depends on
 * who reads it, and a link in a layer would have us read as ourselves (/proc/self/maps,
 * /proc/keys).
 */
bool layer_is_kernels_own(int fd);

/** Whether a result means that memory or descriptors are short, which says nothing of a layer. */
bool layer_is_shortage(int result);

/** "LAYER'S PATH/path", as messages name a source. Returns 0 with *ret for free(3), or -ENOMEM. */
int layer_source_name(const struct layer *layer, const char *path, char **ret);

/**
 * The same of a layer that is a copy of a store: what is to be edited, "etcd:/fleet/app.yaml", and
 * with the revision of the open file `fd`, as store_place() names it. Both NULL where it is none. 0
 * with *original and *place for free(3), or -ENOMEM.
 */
int layer_source_place(
	const struct layer *layer, const char *path, int fd, char **original, char **place);
