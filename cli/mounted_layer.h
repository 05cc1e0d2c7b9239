/* The mount that shows a layer's file, found by the mounts' status. */
#pragma once

#include "problem.h"

/**
 * Finds the mount that has the existing file `path` in a layer. Returns 0 with *ret_mountpoint and
 * *ret_path, the path in the mount, for free(3); PROBLEM if several mounts have it; -ENOENT if no
 * mount that answers has it; or another -errno.
 */
int mounted_layer_find(
	const char *path, char **ret_mountpoint, char **ret_path, struct problem *problem);
