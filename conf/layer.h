/*
 * A layer: one directory of configuration files.
 *
 * A layer is reached only through the descriptor it was opened with. If the directory is renamed,
 * or something is mounted over it, plyfs keeps reading the same directory. Without `follow`, no
 * path leads out of this directory.
 *
 * `follow` allows symbolic links, even those that lead out of the layer. It allows neither magic
 * links of /proc, nor paths into /proc, /sys and the like (-EACCES). With `follow`, names that
 * begin with ".." are hidden: a Kubernetes volume keeps its files under such names, and its other
 * names are links to these files.
 *
 * A `path` is relative to the layer, and "" is the layer itself. A path with ".." in it, or with a
 * slash in front, gives -EXDEV. -ENOENT and -ENOTDIR mean that the layer has no such file. Without
 * `follow`, a link in place of a directory gives -ENOTDIR.
 *
 * A path that `exclude` matches gives -ENOENT, and is not listed.
 *
 * Once a layer is in use, only `is_remote` and `silence` change. No function here writes to the
 * file system.
 */
#pragma once

#include <dirent.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/*
 * Greatest number of layers in one mount. Each costs a descriptor and a lookup for every path, and
 * a set of layers fits one uint64_t.
 */
#define LAYERS_MAX 64

struct settings;
struct store;

struct layer {
	char *name; /* as `layers: [{name:}]`, unique in a mount */
	char *path; /* as the user gave it, for messages */
	/* the path for open(2), as settings_environment_place() makes it: if our mount hides
	 * `path`, `place` leads through the directory beneath the mount */
	char *place;
	unsigned rank; /* 0 is the lowest precedence */
	bool follow;   /* symbolic links are followed, even out of the layer */
	int dirfd;     /* O_PATH; -1: optional and missing */
	/* Device and inode number of the directory when it was opened; 0: it is missing. They are
	 * stored because a later fstat(2) would fail if the directory's file system had died. */
	dev_t dev;
	ino_t ino;
	/* Patterns (glob.h), ending with NULL. Each pattern of plyfs.yaml is here twice: for a path
	 * itself, and for all paths below it. Default: the files of git, and backups of editors.
	 * Borrowed. */
	const char *const *exclude;
	/* the store that a mirror copies to this layer (store.h); NULL: none */
	struct store *store;
	const struct settings *settings; /* the settings that it belongs to; NULL: none yet */
	atomic_bool is_remote; /* it lies on a network or FUSE file system, or contains one */
	atomic_int silence;    /* enum layer_silence */
	/* the directory that the mount itself lies on, relative to the layer; NULL: it is not in
	 * the layer */
	char *covered;
};

/* The purpose of a call on a path: to look up its name, to list it, or to read it. */
enum layer_use { LAYER_NAME, LAYER_LIST, LAYER_READ };

/**
 * Sets the guard. Before a name is looked up, a directory listed or a file read, `may_use` is
 * called with the path (absolute; only the last name may be a link). If `may_use` returns 0, the
 * use continues; otherwise its result, an -errno, is returned. NULL: every path may be used.
 *
 * stat(2), open(2) and read(2) wait for the server of a mount that is nested in a layer, or that a
 * link leads to. A command of plyfs can't break off its own call, so it needs a guard.
 */
void layer_guard(int (*may_use)(const char *path, enum layer_use use));

/*
 * A delegate: functions that have another process look into remote layers, for a process whose own
 * system calls must not wait for a file system. layer_NAME() calls NAME if the layer is remote, or
 * if a link of a layer with `follow` leads to a remote file system. NAME does the same as
 * layer_NAME(), but the calling coroutine may have to wait. If the file system does not answer,
 * NAME returns -ETIMEDOUT or -LAYER_LATE.
 */
struct layer_delegate {
	int (*stat)(const struct layer *layer, const char *path, struct stat *ret);
	int (*stat_rights)(const struct layer *layer, const char *path, struct stat *ret);
	int (*list)(const struct layer *layer, const char *path,
		int (*each)(void *context, const char *name, unsigned char type), void *context);
	int (*read_link)(const struct layer *layer, const char *path, char **ret);
};

/**
 * Sets the delegate; NULL: this process looks into all layers itself. Call it while no layer is in
 * use. The functions that open a file do not use the delegate. In the thread that has called
 * layer_delegate(), they return -EREMOTE if a link leads to a remote file system (followed_path.h).
 */
void layer_delegate(const struct layer_delegate *delegate);

/**
 * Sets a function that opens files for this process; NULL: none. It is needed because a link of a
 * layer with `follow` may lead to a file that the sandbox keeps this process from reading
 * (fs/sandbox/reader_sandbox.h). `path_fd` is that file, open with O_PATH. `open` opens the file
 * once more, with `flags`, and returns the new descriptor or -errno.
 */
void layer_open_elsewhere(int (*open)(int path_fd, int flags));

/*
 * The errno of a call that got no answer in the time that layer_tasks_patience() (layer_task.h)
 * set, if that time is shorter than answer_ms (settings_options.h). The file system may still
 * answer, so the caller must not show a failure.
 */
#define LAYER_LATE EINPROGRESS

/* Whether the layer's file system answers. */
enum layer_silence {
	LAYER_ANSWERS,
	LAYER_IS_SLOW,   /* no answer came in the short time that a caller could wait */
	LAYER_IS_SILENT, /* no answer came for answer_ms (settings_options.h) */
};

/** Sets `silence`, except from LAYER_IS_SILENT to LAYER_IS_SLOW. Returns the former value. */
enum layer_silence layer_note_silence(const struct layer *layer, enum layer_silence silence);
enum layer_silence layer_silence(const struct layer *layer);

/** Sets `is_remote`. */
void layer_note_remote(const struct layer *layer);

/** Returns whether the delegate looks into the layer. */
bool layer_is_delegated(const struct layer *layer);

/** Returns whether the delegate looks up this path of the layer. */
bool layer_delegates(const struct layer *layer, const char *path);

/** Returns whether the file lies on a network or FUSE file system. */
bool layer_fd_is_remote(int fd);

/** Asks the guard whether the entry `name` of `dirfd` may be looked up. Returns 0 or -errno. */
int layer_may_enter(int dirfd, const char *name);

/**
 * Opens the directory `path` as a layer. `name` and `path` are copied. `wanted` is an OR of enum
 * outside_wanted (outside.h). With OUTSIDE_OPTIONAL, the directory may be missing (dirfd -1).
 * Returns 0 with *ret for layer_free(), or -errno as outside_open().
 */
int layer_open(const char *name, const char *path, unsigned rank, unsigned wanted, bool follow,
	struct layer **ret);

/** Returns whether `directory` is the layer's directory; false if the layer is missing. */
bool layer_is(const struct layer *layer, const struct stat *directory);

/**
 * Returns whether the layer's place still leads to the directory that was opened, and
 * store_is_replaced() is false for that directory. Returns false if the layer is missing.
 */
bool layer_is_current(const struct layer *layer);

/**
 * Returns whether another directory, or none, is at the layer's place now. If so, the directory
 * that was opened may be half removed, and a caller that has read it may have seen a state that the
 * layer never had. If a mirror writes the layer, the result is that of store_is_replaced(), because
 * a tree that store_hold() holds stays complete. Returns false if the layer is missing.
 */
bool layer_was_replaced(const struct layer *layer);

/** Sets the path that messages show, as the user gave it. Returns 0 or -ENOMEM. */
int layer_call(struct layer *layer, const char *path);

/** Returns whether `path` is excluded. */
bool layer_excludes(const struct layer *layer, const char *path);

/** Sets `place`. Returns 0 or -ENOMEM. */
int layer_put(struct layer *layer, const char *place);

void layer_free(struct layer *layer);
void layer_freep(struct layer **layer);

/**
 * Sets `covered` if the directory `mountpoint` (absolute, without links) is in the layer. Callers
 * skip paths in `covered`: files of the mount are no sources. Returns 0 or -ENOMEM. Call it before
 * the layer is in use.
 */
int layer_cover(struct layer *layer, const char *mountpoint);

/**
 * Finds the topmost directory above the layer that is closed to other users (no S_IXOTH) and is not
 * also above the absolute path `beside`. Such a directory may keep users who can reach `beside`
 * from reaching the layer. *ret is "" if there is no such directory, or if it can't be determined.
 */
void layer_closed_above(const struct layer *layer, const char *beside, char ret[PATH_MAX]);

/** Returns whether `path` is the directory that the mount lies on, or beneath it. */
bool layer_is_covered(const struct layer *layer, const char *path);

/**
 * Until the next call of layer_stay(), this thread opens `directory` only once for each layer, to
 * look up names in it. The thread does not notice a replaced directory meanwhile, so the next call
 * must come soon, and no layer may be closed before it. layer_stay("") ends the effect of the last
 * call.
 */
void layer_stay(const char *directory);

/**
 * If the last layer_stay() was for `directory`, returns whether a name in the directory begins with
 * `prefix`. Otherwise, or if the names are not known, returns true. Until the next layer_stay(),
 * all calls for a layer return the first one's answer, so `prefix` must be the same each time.
 */
bool layer_stay_may_have(const struct layer *layer, const char *directory, const char *prefix);

/**
 * Calls lstat(2), or stat(2) with `follow`. A directory gets the mode of layer_stat_rights().
 * Returns 0 or -errno.
 */
int layer_stat(const struct layer *layer, const char *path, struct stat *ret);

/**
 * As layer_stat(), but removes from the mode the rights that the access list (access_list.h)
 * denies. With `follow`, also removes those that a directory above the file denies (ancestors.h).
 * Takes twice as long as layer_stat(). Returns 0 or -errno.
 */
int layer_stat_rights(const struct layer *layer, const char *path, struct stat *ret);

/**
 * Opens a regular file for reading. Uses O_NONBLOCK, because a FIFO in a layer must not hang the
 * mount. Without `follow`, also uses O_NOFOLLOW. *ret is fstat(2) of the descriptor, with the mode
 * reduced by the access list. Returns a descriptor, or -errno. If `path` is no regular
 * file, the error is -ENOENT.
 */
int layer_open_file(const struct layer *layer, const char *path, struct stat *ret);

/**
 * As layer_open_file(), but does not call stat(2) before it opens the file. The caller must have
 * found a regular file there by layer_stat() a moment ago, because open(2) of a FIFO wakes the
 * FIFO's writer.
 */
int layer_open_found(const struct layer *layer, const char *path, struct stat *ret);

/** Opens a directory with O_PATH. Returns a descriptor, or -errno. */
int layer_open_directory(const struct layer *layer, const char *path);

/**
 * Opens the directory that contains `path` with O_PATH. *name points to the last name in `path`.
 * Returns a descriptor, or -errno.
 */
int layer_open_parent(const struct layer *layer, const char *path, const char **name);

/** Opens a file of any type with O_PATH. Returns a descriptor, or -errno. */
int layer_open_path(const struct layer *layer, const char *path);

/**
 * Calls `each` for every name in the directory that is neither hidden nor excluded, in the order of
 * readdir(3), with its d_type. With `follow`, a link has the type of its target, and a dangling
 * link is left out. If the type can't be determined, it is DT_UNKNOWN, or DT_LNK for a link. If
 * `each` returns a value other than 0, stops and returns that value. Otherwise returns 0 or -errno.
 */
int layer_list(const struct layer *layer, const char *path,
	int (*each)(void *context, const char *name, unsigned char type), void *context);

/**
 * Reads the target of a symbolic link, NUL-terminated. Returns 0 with *ret for free(3), or -errno:
 * -EINVAL if `path` is no link.
 */
int layer_read_link(const struct layer *layer, const char *path, char **ret);

/**
 * Returns whether the file lies in a file system of the kernel's own, such as /proc. The contents
 * of such a file depend on its reader, so through a link in a layer, the daemon would show its own
 * secrets (/proc/self/maps, /proc/keys).
 */
bool layer_is_kernels_own(int fd);

/** Returns whether `result` means a shortage of memory or descriptors, and not a bad layer. */
bool layer_is_shortage(int result);

/**
 * Returns whether `result` means that a file system failed or did not answer (EIO, ESTALE,
 * ETIMEDOUT, -LAYER_LATE and the like). Such a result says nothing about the file. No event reports
 * that the file system is well again, so the caller must try again by itself.
 */
bool layer_has_failed(int result);

/** Returns whether `result` means that a file system did not answer. */
bool layer_has_timed_out(int result);

/** Returns whether `result` says nothing about the file: a shortage, or a failed file system. */
static inline bool layer_says_nothing(int result)
{
	return layer_is_shortage(result) || layer_has_failed(result);
}

/** Makes "LAYER'S PATH/path", for messages. Returns 0 with *ret for free(3), or -ENOMEM. */
int layer_source_name(const struct layer *layer, const char *path, char **ret);

/**
 * Makes a file's names in the store of which the layer is a copy. *original names the file to edit,
 * "etcd:/fleet/app.yaml". *place is that name with the revision of the open file `fd`, as
 * store_place() makes it. Both are NULL if the layer is no copy, or the kind of its store is
 * unknown. Returns 0 with both for free(3), or -ENOMEM.
 */
int layer_source_place(
	const struct layer *layer, const char *path, int fd, char **original, char **place);
