/* Inspections in workers (worker.h). If a source crashes a worker, only that inspection fails. */
#pragma once

#include "inspect.h"
#include "worker.h"

/**
 * Has a worker call inspect(). If the worker fails, adds the reason to the findings, as an error.
 * May wait. Returns as inspect(), or -ECANCELED.
 */
int inspect_by(struct workers *workers, const struct offline *offline, const char *path,
	struct inspection *ret);
