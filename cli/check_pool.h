/*
 * A check pool: workers inspect several paths of an offline tree (offline.h) at a time, and the
 * caller reports the results in the order of the paths.
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
 * Inspects paths[0..count) and calls `each`, in the order of the paths, with the result of
 * inspect(). The inspection is freed after the call. If `each` returns a value other than 0, stops
 * and returns that value. Otherwise returns 0 or -ENOMEM.
 */
int check_pool_run(struct offline *offline, char *const *paths, size_t count, check_pool_each *each,
	void *context);
