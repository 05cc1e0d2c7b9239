/*
 * Mounts of plyfs, as /proc/self/mountinfo lists them.
 */
#pragma once

/**
 * The mountpoint of the plyfs that `path`, which must exist, lies in. Returns 0 with *ret for
 * free(3), -ENOENT when it lies in another file system, or another -errno: -ENOTCONN where a mount
 * is found whose process has ended, though the kernel may not notice as long as it need not ask it.
 */
int mounted_find(const char *path, char **ret);
