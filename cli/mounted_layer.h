/* The mount that has a given file in one of its layers, found by the mounts' status. */
#pragma once

#include "problem.h"

/**
 * Finds the mount for `path`, an existing file in one of its layers. Returns 0 with *ret_mountpoint
 * and *ret_path, the path in the mount, for free(3); PROBLEM if several mounts have it; -ENOENT if
 * no mount that answers has it; or another -errno.
 */
int mounted_layer_find(
	const char *path, char **ret_mountpoint, char **ret_path, struct problem *problem);
