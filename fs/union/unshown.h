/*
 * Names in a layer's directory that never show: FIFOs, sockets and devices, which a union lookup
 * passes over, and names whose path is too long for system calls. Such names hide nothing in lower
 * layers. And idle whiteouts: whiteouts (union.h) that hide nothing.
 */
#pragma once

#include "traverse.h"

/**
 * Calls `each` for every such name in the directory `found`, in each layer that shows the
 * directory. `each` gets the layer, the name's path, and its kind ("FIFO"; NULL: the path is too
 * long). The lowest layer comes first; in a layer, names are in byte order. Stops at the first
 * non-zero result of `each`, and returns it. Otherwise returns 0; or -errno if memory or
 * descriptors are short.
 */
int unshown_each(const struct settings *settings, const struct traversed *found,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *what),
	void *context);

/**
 * Lists the directory `found` in each layer that shows it. Calls `each` for every whiteout that
 * hides nothing in lower layers. `each` gets the layer, the whiteout's path, and the path that the
 * whiteout would hide ("" if it makes the directory opaque). The lowest layer comes first, and the
 * names in byte order. Stops at the first non-zero result of `each`, and returns it. Otherwise
 * returns 0; or -errno if memory or descriptors are short.
 */
int whiteouts_idle(const struct settings *settings, const struct traversed *found,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *hides),
	void *context);
