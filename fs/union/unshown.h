/*
 * What lies in a layer's directory and no tree shows: FIFOs, sockets and devices, which union.h passes over, and names
 * whose path is too long for the system's calls. None of them hides anything in the layers below.
 */
#pragma once

#include "traverse.h"

/**
 * Calls `each` for every such name in the directory `found`, in some layer that shows it: with its layer, its own path,
 * and what it is ("FIFO"; NULL: its path is too long). Lowest layer first, names in byte order. Stops at the first
 * non-zero result, and returns it. Else returns 0, or a shortage as -errno.
 */
int unshown_each(const struct settings *settings, const struct traversed *found,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *what),
	void *context);
