/*
 * A file of a layer that an edit replaces. The new file is written beside the old one; when all of
 * it is on the disk, a rename replaces the old one. A reader sees the old bytes or the new ones.
 */
#pragma once

#include "layer.h"
#include "problem.h"
#include "span.h"

/**
 * Waits up to ten seconds for the layer's lock, which every edit takes. Returns a descriptor that
 * holds the lock until it is closed (no lock if the file system has none); -EWOULDBLOCK if another
 * process held the lock all the time; or another -errno.
 */
int layer_file_lock(const struct layer *layer);

/**
 * Makes and opens the directory of an absent layer, with its parents. Its mode is no wider than
 * that of `like`, a layer (NULL: the umask decides). Returns 0 with *ret for layer_free(); -EEXIST
 * if the path exists already; or -errno.
 */
int layer_file_make_layer(const struct layer *layer, const struct layer *like, struct layer **ret);

/* Positive result of layer_file_write(): the file is no longer the one that was read. */
#define LAYER_FILE_MOVED 2

struct layer_file {
	const struct layer *layer;
	const char *path; /* in the layer; a link is followed if it stays in the layer */
	struct span old;  /* the text that was read; `data` NULL: there is no such file */
	struct span new;
	/* A new file admits no user that this lower file refuses. NULL: the umask decides. */
	const struct stat *like;
	/* A new directory admits no user that its directory refuses. NULL: the umask decides. */
	const struct layer *model;
};

/**
 * Writes the file. A replaced file keeps its mode, owner, access list and extended attributes. A
 * new file belongs to the user that runs plyfs, and no other user may write it. Returns 0; or
 * LAYER_FILE_MOVED, PROBLEM or -errno. Unless it returns 0, no file has changed, except if -errno
 * is that of the directory's fsync(2).
 */
int layer_file_write(const struct layer_file *file, struct problem *problem);

/**
 * Removes the file, if it still is the one that was read, and `path` if that is a link to it. If
 * `old.data` is NULL, removes the name: a file, a link or a device. Returns as layer_file_write().
 */
int layer_file_remove(const struct layer_file *file, struct problem *problem);

/** Removes the directory of the drop-ins of `path`, if it is empty. */
void layer_file_remove_dropins(const struct layer *layer, const char *path);
