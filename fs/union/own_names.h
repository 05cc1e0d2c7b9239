/* The names that each layer has in a directory of the merged tree. */
#pragma once

#include "traverse.h"

struct own_names {
	const struct settings *settings;
	const struct traversed *directory;
	/* Returns whether `each` must be called for the path; `type` is its d_type (readdir(3)). */
	bool (*is_wanted)(const struct layer *layer, const char *path, unsigned char type);
	int (*each)(void *context, const struct layer *layer, const char *path);
	void *context;
};

/**
 * Lists the directory in each layer of directory->own. Calls `each` for the wanted names, lowest
 * layer first, names in byte order. Stops at the first non-zero result of `each`, and returns it.
 * Otherwise returns 0; or -errno if memory or descriptors are short. Passes over a layer that can't
 * be listed.
 */
int own_names_each(const struct own_names *names);
