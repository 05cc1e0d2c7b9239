/*
 * Inspections in workers (worker.h): a source that crashes its reader costs its own path alone.
 */
#pragma once

#include "inspect.h"
#include "worker.h"

/**
 * As inspect(), in a worker. If that fails, the reason is the path's error. Any number of threads.
 * Returns also -ECANCELED.
 */
int inspect_by(struct workers *workers, const struct offline *offline, const char *path,
	struct inspection *ret);
