/* A layer's file, replaced by an edit: a reader sees all the old bytes or all the new ones. */
#pragma once

#include "layer.h"
#include "problem.h"
#include "span.h"

/**
 * Waits up to ten seconds for the layer's lock, which every edit takes. Returns a descriptor that
 * holds the lock until it is closed; -EWOULDBLOCK: another process held the lock all the time; or
 * another -errno. On a file system without locks, the descriptor holds none.
 */
int layer_file_lock(const struct layer *layer);

/**
 * Makes and opens the directory of an absent layer. Makes missing parent directories, too. The
 * directory's mode is no wider than that of the layer `like` (NULL: the umask decides). Returns 0
 * with *ret for layer_free(); -EEXIST if the path exists already; or another -errno.
 */
int layer_file_make_layer(const struct layer *layer, const struct layer *like, struct layer **ret);

/* Positive result of layer_file_write(): the file is no longer the one that was read. */
#define LAYER_FILE_MOVED 2

struct layer_file {
	const struct layer *layer;
	const char *path; /* in the layer; a link is followed if it leads to a place in the layer */
	struct span old;  /* the text that was read; `data` NULL: there is no such file */
	struct span new;
	/* Attributes of a lower layer's file: a new file admits no user that this file refuses.
	 * NULL: the umask decides. */
	const struct stat *like;
	/* A lower layer: a new directory admits no user that the directory at the same path in
	 * `model` refuses. NULL: the umask decides. */
	const struct layer *model;
};

/**
 * Writes the file. A replaced file keeps its mode, owner, access list and extended attributes. A
 * new file belongs to the user that runs plyfs, and no other user may write it. Returns 0,
 * LAYER_FILE_MOVED, PROBLEM or -errno. After a failure the old text stays; but if the last step,
 * fsync(2) of the directory, fails, the new text is in place.
 */
int layer_file_write(const struct layer_file *file, struct problem *problem);

/**
 * Removes the file, if it still is the one that was read. If `path` is a link, removes the link,
 * too. If `old.data` is NULL, compares nothing, and removes the file, link or device at `path`.
 * Returns as layer_file_write().
 */
int layer_file_remove(const struct layer_file *file, struct problem *problem);

/** Removes the directory of the drop-ins of `path` (PATH.d), if it is empty. */
void layer_file_remove_dropins(const struct layer *layer, const char *path);
