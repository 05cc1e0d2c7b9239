/*
 * A layer's file that does not show because a higher layer hides it, with a whiteout (.wh.NAME, or
 * overlayfs' device 0/0), an opaque directory (.wh..wh..opq), or an object of another kind. Such an
 * object lies at the path of the file, or of a directory that contains it.
 */
#pragma once

#include <limits.h>

#include "settings.h"
#include "value_lock.h"

struct hidden {
	unsigned layer;      /* rank of the layer that has the file */
	unsigned by;         /* rank of the layer that hides it */
	char mark[PATH_MAX]; /* path in layer `by` of the whiteout or object that hides it */
};

/**
 * Finds a hidden file, directory or link at `path` in the layers with a rank below `below`. If
 * several layers have one, finds that of the highest. Returns 1 with *ret; 0 if no layer has one;
 * or -errno if memory or descriptors are short.
 */
int hidden_find(
	const struct settings *settings, unsigned below, const char *path, struct hidden *ret);

/**
 * Formats the hiding object as messages name a file ("site/.wh.motd"). Returns 0 with *ret for
 * free(3), or -ENOMEM.
 */
int hidden_mark_name(const struct settings *settings, const struct hidden *hidden, char **ret);

/**
 * Takes each layer with a rank below `below`. Calls `each` for every file, at `path` or beneath it,
 * in which that layer locks values. The file must show in the tree of that layer and those below
 * it; higher layers may hide it. Stops at the first non-zero result of `each`, and returns it.
 * Otherwise returns 0 or -errno.
 */
int hidden_locks_each(const struct settings *settings, const char *path, size_t below,
	int (*each)(void *context, const char *path, const struct value_lock *lock), void *context);
