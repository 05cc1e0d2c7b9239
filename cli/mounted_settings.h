/*
 * The settings of a mount, made anew in this process from the mount's .plyfs/status. The layers are
 * opened with the caller's rights, so the caller sees nothing that the layers deny.
 */
#pragma once

#include "settings.h"

/**
 * Makes the settings of the mount or rendered tree at `mountpoint`, the result of
 * plyfs_mount_find() or rendered_tree_find(). If `as` names a host, machine, user or fact, the
 * layers are those that plyfs.yaml has for `as`. Otherwise the layers are those of the mount; but
 * if plyfs.yaml names other layers by now, returns PROBLEM. Layers beneath the mount are
 * opened through /proc/PID/fd of the mount's process, which only root and the user who mounted may
 * use. Relative paths in the settings become absolute, unless the mount's working directory is
 * ours. Returns 0 with *ret for settings_unref(), PROBLEM, or -errno.
 */
int mounted_settings(const char *mountpoint, const struct settings_environment *as,
	struct settings **ret, struct problem *problem);
