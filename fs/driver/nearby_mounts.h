/*
 * Nearby mounts: of all that is mounted on a machine, what can change what a mount of ours is made
 * of or where it is seen. That lies on the way to plyfs.yaml, a preset, a schema or a layer, in a
 * layer, or on the way to the mountpoint or in it.
 */
#pragma once

#include <stdint.h>

#include "settings.h"

/**
 * A number that is another one when such a mount has come, gone or changed. `mounts_fd` is
 * /proc/self/mountinfo; `mountpoint` is absolute, without links. Returns 0 with *ret, or -errno
 * where it can't be told.
 */
int nearby_mounts_digest(
	const struct settings *settings, const char *mountpoint, int mounts_fd, uint64_t *ret);
