/*
 * A layer's file that a higher layer hides. At the path of the file, or of a directory above it,
 * the higher layer has a whiteout (.wh.NAME, or overlayfs' device 0/0), an opaque directory
 * (.wh..wh..opq), or an object of another kind.
 */
#pragma once

#include <limits.h>

#include "settings.h"
#include "value_lock.h"

struct hidden {
	unsigned layer;      /* rank of the layer that has the file */
	unsigned by;         /* rank of the layer that hides the file */
	char mark[PATH_MAX]; /* path, in the layer `by`, of the whiteout or object that hides it */
};

/**
 * Finds a hidden file, directory or link at `path` in the layers with a rank below `below`, from
 * the highest one down. Returns 1 with *ret; 0 if no layer has one; or -errno if memory or
 * descriptors are short.
 */
int hidden_find(
	const struct settings *settings, unsigned below, const char *path, struct hidden *ret);

/**
 * Finds what hides the object at `path` in the layer of rank `layer`. If there is no such object,
 * finds what would hide one. `mode` has the object's file type. Returns 1 with *ret; 0 if nothing
 * hides it; or an -errno as hidden_find().
 */
int hidden_by(const struct settings *settings, unsigned layer, const char *path, mode_t mode,
	struct hidden *ret);

/** Makes the name of the mark ("site/.wh.motd"). Returns 0 with *ret for free(3), or -ENOMEM. */
int hidden_mark_name(const struct settings *settings, const struct hidden *hidden, char **ret);

/**
 * Calls `each` for every file, at `path` or beneath it, in which a layer with a rank below `below`
 * locks values. Leaves out a file that would not be shown if the locking layer were the highest
 * layer. Returns 0, -errno, or the first non-zero result of `each`, at which it stops.
 */
int hidden_locks_each(const struct settings *settings, const char *path, size_t below,
	int (*each)(void *context, const char *path, const struct value_lock *lock), void *context);
