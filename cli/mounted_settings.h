/*
 * The settings of a mount, made once more in this process: from what the mount tells of itself in
 * .plyfs/status, and with this process's own rights, so that nobody learns here what he may not
 * read in the layers.
 */
#pragma once

#include "settings.h"

/**
 * The settings of the mount at `mountpoint`, which plyfs_mount_find() gave. The layers have the
 * names that the mount knows them by; what lies under the mount itself is found by way of its
 * process. As on another host, where `as` says so: then the layers are those of its plyfs.yaml.
 * Relative paths become absolute, unless the mount's working directory is ours.
 * Returns 0 with *ret for settings_unref(), PROBLEM, or -errno.
 */
int mounted_settings(const char *mountpoint, const struct surroundings *as, struct settings **ret,
	struct problem *problem);
