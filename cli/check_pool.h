/*
 * A check pool: several threads inspect the paths of an offline view, and the caller's thread
 * reports them in their order.
 *
 *      paths  0 1 2 3 4 5 6 7 8 …
 *             └┬┘ └────┬────┘
 *        reported   a window: inspected, or being inspected
 */
#pragma once

#include "inspect.h"

/**
 * Inspects paths[0..count) and calls `each`, in the caller's thread and in their order, with the
 * result of inspect(). The inspection is freed after the call. Stops at the first non-zero result,
 * and returns it. Else returns 0 or -ENOMEM.
 */
int check_pool_run(struct offline *offline, char *const *paths, size_t count,
	int (*each)(
		void *context, const char *path, int result, const struct inspection *inspection),
	void *context);
