/*
 * A check pool: workers inspect several paths of an offline tree (offline.h) at a time. If a layer
 * is on a network or FUSE file system, this process inspects the paths itself, one by one.
 *
 *      paths  0 1 2 3 4 5 6 7 8 …
 *             └┬┘ └────┬────┘
 *        reported   a window: inspected, or being inspected
 */
#pragma once

#include "inspect.h"

typedef int check_pool_each(
	void *context, const char *path, int result, const struct inspection *inspection);

/**
 * Calls `each` for paths[0..count), in that order, with the result of inspect(). Frees each path's
 * inspection when the call for that path has returned. If a call returns another value than 0,
 * stops and returns that value. Otherwise returns 0 or -ENOMEM.
 */
int check_pool_run(struct offline *offline, char *const *paths, size_t count, check_pool_each *each,
	void *context);
