/*
 * Names in a layer's directory that have no effect. Unshown names: FIFOs, sockets, devices, names
 * whose path is too long for system calls, and PLYFS_NAME at the root. Idle whiteouts (union.h):
 * those that hide nothing in lower layers.
 */
#pragma once

#include "traverse.h"

/**
 * Calls `each` for every unshown name in the directory `found`, in each layer that shows the
 * directory: lowest layer first, names in byte order. `each` gets the layer, the name's path, and
 * its kind ("FIFO"; NULL: the path is too long). Stops at the first non-zero result of `each`, and
 * returns it. Otherwise returns 0, or -errno if memory or descriptors are short.
 */
int unshown_each(const struct settings *settings, const struct traversed *found,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *what),
	void *context);

/**
 * Calls `each` for every idle whiteout in the directory `found`, in the order and with the results
 * of unshown_each(). `each` gets the layer, the whiteout's path, and the path that the whiteout
 * would hide ("" if it makes the directory opaque).
 */
int whiteouts_idle(const struct settings *settings, const struct traversed *found,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *hides),
	void *context);
