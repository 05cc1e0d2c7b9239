/*
 * Mountpoints: what is mounted where, as /proc/self/mountinfo (proc(5)) has it.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "problem.h"

/**
 * Makes `path` fit to be mounted on: it must be a directory with no plyfs on it; a dead mount
 * (ENOTCONN) is taken away. Returns 0 with *ret, its absolute path without links, for free(3);
 * PROBLEM; or -errno.
 */
int mountpoint_prepare(const char *path, char **ret, struct problem *problem);

/** The mount on top at `path` (absolute): 0 with its id and device, or -ENOENT. */
int mountpoint_find(const char *path, int *mount_id, dev_t *dev);

/** Whether that mount is there, in this mount name space. An id alone may be another's by now. */
bool mountpoint_is_mounted(int mount_id, dev_t dev);

/**
 * Makes a private, writable clone of the mount at `path` and turns the visible one read-only. Needs
 * CAP_SYS_ADMIN (open_tree(2), mount_setattr(2)). Returns a descriptor of the clone's root, or
 * -errno.
 */
int mountpoint_clone(const char *path);
