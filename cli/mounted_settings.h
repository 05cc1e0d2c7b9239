/*
 * The settings of a mount, made again from the mount's .plyfs/status. This process opens the layers
 * with its own rights.
 */
#pragma once

#include "settings.h"

/**
 * Makes the settings of the mount or rendered tree at `mountpoint`, the result of
 * plyfs_mount_find() or rendered_tree_find(). If `as` names a host, machine, user or fact, the
 * layers are those that plyfs.yaml has for this host, machine, user or fact. Otherwise the layers
 * are those of the mount, and it is a problem if plyfs.yaml names other layers by now. In both
 * cases, it is a problem if the mount covers a layer or plyfs.yaml, unless root or the user who
 * mounted runs this process. Returns 0 with *ret for settings_unref(), PROBLEM, or -errno.
 */
int mounted_settings(const char *mountpoint, const struct settings_environment *as,
	struct settings **ret, struct problem *problem);

/**
 * Finds the mount for `path`, an existing file in one of its layers. Returns 0 with *ret_mountpoint
 * and *ret_path, the path in the mount, for free(3); PROBLEM if several mounts have it; -ENOENT if
 * no mount that answers has it; or another -errno.
 */
int mounted_settings_find(
	const char *path, char **ret_mountpoint, char **ret_path, struct problem *problem);
