/*
 * A layer: one directory of configuration files.
 *
 * If the directory is renamed, or something is mounted over it, the layer stays the directory that
 * layer_open() opened. Without `follow`, no path leads out of this directory.
 *
 * `follow` allows symbolic links, even those that lead out of the layer. It allows neither magic
 * links of /proc, nor paths into /proc, /sys and the like (-EACCES). With `follow`, names that
 * begin with ".." are hidden: a Kubernetes volume has links to files under such names.
 *
 * A `path` is relative to the layer, and "" is the layer itself. A path that begins with a slash,
 * or has ".." as one of its names, gives -EXDEV. -ENOENT and -ENOTDIR mean that the layer has no
 * such file. Without `follow`, a link in place of a directory gives -ENOTDIR. An excluded path
 * gives -ENOENT, and is not listed.
 *
 * Once a layer is in use, only `is_remote` and `silence` change.
 */
#pragma once

#include <dirent.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Greatest number of layers in one mount: a set of layers fits one uint64_t. */
#define LAYERS_MAX 64

struct settings;
struct store;

struct layer {
	char *name; /* as `layers: [{name:}]`, unique in a mount */
	char *path; /* as the user gave it, for messages */
	/* the path for open(2) (settings_environment_place()): if our mount hides `path`, `place`
	 * leads through the directory that our mount covers */
	char *place;
	unsigned rank; /* 0 is the lowest precedence */
	bool follow;   /* symbolic links are followed, even out of the layer */
	int dirfd;     /* O_PATH; -1: optional and missing */
	/* device and inode number of the opened directory; 0: it is missing */
	dev_t dev;
	ino_t ino;
	/* Patterns (glob.h), ending with NULL. A path that matches one of them is excluded. The
	 * paths below an excluded directory need a pattern of their own. Default: the files of git,
	 * and backups of editors. Borrowed. */
	const char *const *exclude;
	struct store *store; /* the store that a mirror copies to this layer; NULL: none */
	const struct settings *settings; /* the settings that have this layer; NULL: none yet */
	atomic_bool is_remote; /* it lies on a network or FUSE file system, or contains one */
	atomic_int silence;    /* enum layer_silence */
	char *covered; /* the mountpoint, relative to the layer; NULL: it is not in the layer */
};

/* The purpose of a call on a path: to look up its name, to list it, or to read it. */
enum layer_use { LAYER_NAME, LAYER_LIST, LAYER_READ };

/**
 * Sets the guard `may_use`: a function that is called before a name is looked up, a directory is
 * listed or a file is read. `path` is absolute; only its last name may be a link. `may_use` returns
 * 0, or the -errno with which the use fails. NULL: every path may be used.
 */
void layer_guard(int (*may_use)(const char *path, enum layer_use use));

/*
 * A delegate: functions that make another process look into remote layers. layer_NAME() calls NAME
 * if the layer is remote, or if a link of a layer with `follow` leads to a remote file system. NAME
 * does the same as layer_NAME(), but the calling coroutine may wait. If the file system does not
 * answer, NAME returns -ETIMEDOUT or -LAYER_LATE.
 */
struct layer_delegate {
	int (*stat)(const struct layer *layer, const char *path, struct stat *ret);
	int (*stat_rights)(const struct layer *layer, const char *path, struct stat *ret);
	int (*list)(const struct layer *layer, const char *path,
		int (*each)(void *context, const char *name, unsigned char type), void *context);
	int (*read_link)(const struct layer *layer, const char *path, char **ret);
};

/**
 * Sets the delegate; NULL: this process looks into all layers itself. Call this function while no
 * layer is in use. Functions that open a file do not use the delegate. In the thread that has set a
 * delegate, they return -EREMOTE if a link leads to a remote file system (followed_path.h).
 */
void layer_delegate(const struct layer_delegate *delegate);

/**
 * Sets a function that opens a file if the sandbox (fs/sandbox/reader_sandbox.h) keeps this process
 * from reading the file; NULL: none. `path_fd` is the file, open with O_PATH. `open` returns a new
 * descriptor, opened with `flags`, or -errno.
 */
void layer_open_elsewhere(int (*open)(int path_fd, int flags));

/*
 * The errno of a call that got no answer in the time that layer_tasks_patience() (layer_task.h)
 * allows. As answer_ms (settings_options.h) has not passed yet, the file system may still answer,
 * so the caller must not show a failure.
 */
#define LAYER_LATE EINPROGRESS

/* Whether the layer's file system answers. */
enum layer_silence {
	LAYER_ANSWERS,
	LAYER_IS_SLOW,   /* a call returned -LAYER_LATE */
	LAYER_IS_SILENT, /* no answer came for answer_ms (settings_options.h) */
};

/** Sets `silence`; LAYER_IS_SLOW does not replace LAYER_IS_SILENT. Returns the former value. */
enum layer_silence layer_note_silence(const struct layer *layer, enum layer_silence silence);
enum layer_silence layer_silence(const struct layer *layer);

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
 * Returns 0 with *ret for layer_free(), or an -errno of outside_open().
 */
int layer_open(const char *name, const char *path, unsigned rank, unsigned wanted, bool follow,
	struct layer **ret);

/** Returns whether `directory` is the layer's directory; false if the layer is missing. */
bool layer_is(const struct layer *layer, const struct stat *directory);

/**
 * Returns whether the layer's `place` still leads to the opened directory, and no mirror has
 * replaced that directory.
 */
bool layer_is_current(const struct layer *layer);

/**
 * Returns whether another directory, or none, is at the layer's place now. If so, the opened
 * directory may be half removed. For a missing layer, returns false. If a mirror writes the layer,
 * returns store_is_replaced() instead.
 */
bool layer_was_replaced(const struct layer *layer);

/** Replaces *text, the `path` or `place` of a layer, by a copy of `to`. Returns 0 or -ENOMEM. */
int layer_set_text(char **text, const char *to);

bool layer_excludes(const struct layer *layer, const char *path);

void layer_free(struct layer *layer);
void layer_freep(struct layer **layer);

/**
 * Sets `covered` if the directory `mountpoint` (absolute, without links) is in the layer. The
 * functions of this header do not skip paths in `covered`, so callers must (layer_is_covered()).
 * Returns 0 or -ENOMEM. Call layer_cover() before the layer is in use.
 */
int layer_cover(struct layer *layer, const char *mountpoint);

/**
 * Finds the topmost directory above the layer that is closed to other users (no S_IXOTH). Skips
 * directories that can't be examined, and those that are also above the absolute path `beside`.
 * *ret is "" if there is no such directory, or if the layer's directory has no path.
 */
void layer_closed_above(const struct layer *layer, const char *beside, char ret[PATH_MAX]);

/** Returns whether the layer (if missing: its place) is `path`, or a generation in `path`. */
bool layer_is_at(const struct layer *layer, const char *path);

/** Returns whether `path` is the mountpoint, or beneath it. */
bool layer_is_covered(const struct layer *layer, const char *path);

/**
 * Speeds up lookups in `directory`: until the next call of layer_stay(), this thread opens it once
 * for each layer. The thread does not notice a replaced directory meanwhile, so the next call must
 * come soon. Do not close a layer before the next call. layer_stay("") ends the effect.
 */
void layer_stay(const char *directory);

/**
 * Returns false if layer_stay() is in effect for `directory`, and this function knows that no name
 * in the directory begins with `prefix`. Otherwise returns true: there may be such a name. Until
 * the next layer_stay(), `prefix` must be the same in all calls.
 */
bool layer_stay_may_have(const struct layer *layer, const char *directory, const char *prefix);

/**
 * Calls lstat(2), or stat(2) if the layer has `follow`. If the file is a directory, also removes
 * rights from its mode, as layer_stat_rights() does. A mounted file has at least two links
 * (descriptor_stat()). Returns 0 or -errno.
 */
int layer_stat(const struct layer *layer, const char *path, struct stat *ret);

/**
 * Does layer_stat(). Then, for any kind of file, removes from the mode the rights that users lack
 * by the file's access list (access_list.h) and, if the layer has `follow`, by a directory above
 * the file (ancestors.h). Returns 0 or -errno.
 */
int layer_stat_rights(const struct layer *layer, const char *path, struct stat *ret);

/**
 * Opens a regular file for reading. *ret is fstat(2) of the descriptor, with the mode reduced by
 * the access list. Returns a descriptor, or -errno: -ENOENT if `path` is no regular file.
 */
int layer_open_file(const struct layer *layer, const char *path, struct stat *ret);

/**
 * Does what layer_open_file() does, without a stat(2) before open(2). A moment ago, the caller must
 * have found a regular file at `path` by layer_stat(): open(2) of a FIFO would wake its writer.
 */
int layer_open_found(const struct layer *layer, const char *path, struct stat *ret);

/*
 * Each of these functions opens a file with O_PATH, and returns a descriptor or -errno. The first
 * one opens the directory `path`. The second one opens the directory above `path`, and sets *name
 * to the last name in `path`. The third one opens `path`, a file of any type.
 */
int layer_open_directory(const struct layer *layer, const char *path);
int layer_open_parent(const struct layer *layer, const char *path, const char **name);
int layer_open_path(const struct layer *layer, const char *path);

/**
 * Calls `each` for every name in the directory, with its d_type, in the order of readdir(3). Leaves
 * out hidden and excluded names. With `follow`, a link has the type of its target, and a dangling
 * link is left out. If the type can't be determined, it is DT_UNKNOWN, or DT_LNK for a link. Stops
 * at the first non-zero result of `each`, and returns it. Otherwise returns 0 or -errno.
 */
int layer_list(const struct layer *layer, const char *path,
	int (*each)(void *context, const char *name, unsigned char type), void *context);

/** Reads a link's target. Returns 0 with *ret for free(3), or -errno. -EINVAL: it is no link. */
int layer_read_link(const struct layer *layer, const char *path, char **ret);

/**
 * Returns whether the file lies in a file system of the kernel's own, such as /proc. A mount must
 * not show such a file: it may have the daemon's secrets (/proc/self/maps, /proc/keys).
 */
bool layer_is_kernels_own(int fd);

/** Returns whether `result` means a shortage of memory or descriptors. */
bool layer_is_shortage(int result);

/**
 * Returns whether `result` means that a file system failed or did not answer (EIO, ESTALE,
 * ETIMEDOUT, LAYER_LATE and the like). No event reports that the file system is well again, so the
 * caller must try again by itself.
 */
bool layer_has_failed(int result);

/** Returns whether `result` means that a file system did not answer. */
bool layer_has_timed_out(int result);

/** Returns layer_is_shortage() or layer_has_failed(): `result` says nothing about the file. */
static inline bool layer_says_nothing(int result)
{
	return layer_is_shortage(result) || layer_has_failed(result);
}

/** Makes "LAYER'S PATH/path", for messages. Returns 0 with *ret for free(3), or -ENOMEM. */
int layer_source_name(const struct layer *layer, const char *path, char **ret);

/**
 * Makes a file's names in the layer's store. *original names the file to edit:
 * "etcd:/fleet/app.yaml". *place is store_place() with the revision that the mirror has noted at
 * the open file `fd` (store.h). Both are NULL if the layer has no store of a known kind. Returns 0
 * with both for free(3), or -ENOMEM.
 */
int layer_source_place(
	const struct layer *layer, const char *path, int fd, char **original, char **place);
