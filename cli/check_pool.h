/*
 * The checker: many paths of an offline view, inspected by several threads, and told of in their
 * order.
 *
 *      paths  0 1 2 3 4 5 6 7 8 …
 *             └┬┘ └────┬────┘
 *          told of   a window: inspected, or being inspected
 */
#pragma once

#include "inspect.h"

/**
 * Inspects paths[0..count) and calls `each`, in this thread and in their order, with what inspect()
 * has returned; the inspection is freed after that. Stops at the first non-zero result, and returns
 * it. Else returns 0 or -ENOMEM.
 */
int check_pool_run(struct offline *offline, char *const *paths, size_t count,
	int (*each)(
		void *context, const char *path, int result, const struct inspection *inspection),
	void *context);
