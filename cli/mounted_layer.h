/* The mount that shows a layer's file, found by the mounts' status. */
#pragma once

#include "problem.h"

/**
 * Finds the mount in which the existing file `path` is a source. Returns 0 with *ret_mountpoint and
 * *ret_path, the path in the mount, for free(3); PROBLEM if it is a source in several mounts;
 * -ENOENT if no mount that answers has it as a source; or another -errno.
 */
int mounted_layer_find(
	const char *path, char **ret_mountpoint, char **ret_path, struct problem *problem);
