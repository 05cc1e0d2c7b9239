/*
 * Whiteouts that hide nothing: the file that one was made for has gone or has another name now, or
 * the whiteout has. What whiteouts are, and what they hide, union.h says.
 */
#pragma once

#include "traverse.h"

/**
 * Calls `each` for every whiteout in the directory `found`, in some layer that shows it, that hides
 * nothing in the layers below: with its layer, its own path, and what it would hide ("" when it
 * makes the directory opaque). Lowest layer first, names in byte order. Stops at the first non-zero
 * result, and returns it. Else returns 0, or a shortage as -errno.
 */
int whiteouts_idle(const struct settings *settings, const struct traversed *found,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *hides),
	void *context);
