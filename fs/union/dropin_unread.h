/*
 * Unread drop-ins: directories in NAME.d, and symbolic links in a layer that follows none. The
 * merge lacks them, so `plyfs check` and `plyfs explain` report them. A link to /dev/null is none
 * of them: it masks the files of lower layers.
 */
#pragma once

#include "union.h"

/**
 * Calls `each` for all unread drop-ins of `path` (NAME). In NAME.d, these are every link with a
 * drop-in's name, and every directory that has a file with such a name, in byte order. If NAME.d
 * itself is a link, that link is the only one. `each` gets the layer, the path in the layer, and
 * the reason with the remedy. Stops at the first non-zero result of `each`, and returns it.
 * Otherwise returns 0, also if the rule gives `path` no drop-ins; or -errno if memory or
 * descriptors are short.
 */
int dropin_unread_each(const struct settings *settings, const char *path,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *why),
	void *context);
