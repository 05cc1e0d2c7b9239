/*
 * The target layer, which an edit changes, and its files. If a mirror fills the layer, the edit
 * opens the layer's store. Otherwise the edit locks the layer. A file is replaced: a reader sees
 * all the old bytes or all the new ones.
 */
#pragma once

#include "settings.h"

struct layer_store;
struct store_access;

/**
 * Finds the layer `name`. It may be absent, as the edit can make its directory. NULL: finds the
 * highest layer, unless a change of that layer is probably a mistake (absent_layer_refuse()). If
 * the layer has a store, opens it, unless `store` is NULL or *store is open. Returns 0 with *ret,
 * which `settings` owns; PROBLEM, also for an absent layer that comes out of a store; or -errno.
 */
int target_layer_find(const struct settings *settings, const char *name,
	const struct store_access *access, struct layer **ret, struct layer_store **store,
	struct problem *problem);

/**
 * Locks the layer against edits by other processes, until the descriptor *ret is closed. Waits up
 * to ten seconds. If the layer is absent, *ret stays unchanged. Returns 0 or PROBLEM.
 */
int target_layer_lock(const struct layer *layer, int *ret, struct problem *problem);

/** Returns whether layer_is_current() is true for each layer that is not absent. */
bool target_layer_is_current(const struct settings *settings);

/* Positive result of target_layer_write() and layer_file_remove(): the file is no longer the one
 * that was read. */
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
 * Writes the file, called `name` in messages. A replaced file keeps its mode, owner, access list
 * and extended attributes. A new file belongs to the user that runs plyfs, and no other user may
 * write it. If the layer is absent, first makes its directory, with a mode no wider than the
 * highest existing layer's. Returns 0; LAYER_FILE_MOVED; -ESTALE if another process has made the
 * layer's directory meanwhile; PROBLEM; or -ENOMEM.
 */
int target_layer_write(const struct settings *settings, struct layer_file file, const char *name,
	struct problem *problem);

/**
 * Removes the file, if it still is the one that was read. If `path` is a link, removes the link,
 * too. If the caller has read nothing (`old.data` is NULL), removes the object at `path`, unless
 * it is a directory; of a link, only the link. Returns 0, LAYER_FILE_MOVED, PROBLEM or -errno.
 */
int layer_file_remove(const struct layer_file *file, struct problem *problem);

/** Removes the directory of the drop-ins of `path` (PATH.d), if it is empty. */
void layer_file_remove_dropins(const struct layer *layer, const char *path);

/** Does lstat(2) in the layer, which may follow links on the way. Returns 0 or -errno. */
int layer_file_look(const struct layer *layer, const char *path, struct stat *ret);
