/*
 * From a file in a layer to the mount that the layer is in, as its status tells it.
 */
#pragma once

#include "problem.h"

/**
 * Finds the mount in which the existing file `path` is a source. Returns 0 with *ret_mountpoint and
 * *ret_path, the path in the mount, for free(3); PROBLEM where it is one in several; -ENOENT where
 * it is in none that can be asked; or another -errno.
 */
int mounted_layer_find(
	const char *path, char **ret_mountpoint, char **ret_path, struct problem *problem);
