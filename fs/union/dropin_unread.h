/*
 * Unread drop-ins: objects whose files are not merged into NAME. They are the directories in NAME.d
 * that have a file with a drop-in's name; and, in a layer that follows no links, the links in
 * NAME.d with such a name, and NAME.d itself if it is a link. A link to /dev/null masks the files
 * of lower layers, and is no unread drop-in.
 */
#pragma once

#include "union.h"

/**
 * Calls `each` for all unread drop-ins of `path` (NAME), in byte order: links in NAME.d with a
 * drop-in's name, directories in NAME.d that have a file with such a name, and NAME.d itself if it
 * is a link. `why` is the reason with the remedy. Stops at the first non-zero result of `each`, and
 * returns it. Otherwise returns 0, or -errno if memory or descriptors are short.
 */
int dropin_unread_each(const struct settings *settings, const char *path,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *why),
	void *context);
