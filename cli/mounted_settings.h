/*
 * The settings of a mount, made anew in this process from the mount's .plyfs/status. The layers are
 * opened with the caller's rights, so the caller sees nothing that the layers deny.
 */
#pragma once

#include "settings.h"

/**
 * Makes the settings of the mount at `mountpoint`, which is plyfs_mount_find()'s. The layers have
 * the names that the mount uses. Paths under the mount itself are opened through its process. `as`
 * may name another host: then the layers are those of its plyfs.yaml. Relative paths become
 * absolute, unless the mount's working directory is ours. Returns 0 with *ret for settings_unref(),
 * PROBLEM, or -errno.
 */
int mounted_settings(const char *mountpoint, const struct settings_environment *as,
	struct settings **ret, struct problem *problem);
