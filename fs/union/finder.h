/*
 * A finder: finds the files in and below a directory of the merged tree. The view's finder reads
 * indexes (dependency.h). A command's finder walks the directories (offline.h).
 */
#pragma once

#include "union.h"

struct finder {
	void *context;

	/*
	 * Calls `each` for every file in `directory`, and in the directories up to `depth` levels
	 * below it (-1: all levels). `path` is the file's path, and `layers` are those that show
	 * its directory. Files in directories nearer to the root come first; files in one directory
	 * come in byte order of their names. Returns 0, -errno, or the first non-zero result of
	 * `each`, at which it stops.
	 */
	int (*list)(void *context, const char *directory, int depth,
		int (*each)(void *context, const char *path, const char *name, layer_mask layers),
		void *each_context);

	/*
	 * Finds a file `name` in or below `directory`. Passes over the first `skip` such files, in
	 * the order of `list`. Returns 0 with the file's path in *ret, for free(3), and the layers
	 * that show its directory in *layers; FINDER_ABSENT; or -errno.
	 */
	int (*find)(void *context, const char *directory, const char *name, size_t skip, char **ret,
		layer_mask *layers);
};

#define FINDER_ABSENT 1
