/*
 * The table of mounts of this process's mount name space: /proc/self/mountinfo (proc(5)).
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MOUNT_TABLE "/proc/self/mountinfo"

struct table_mount {
	int id;
	int parent; /* the id of the mount that it stands on */
	dev_t dev;
	uid_t uid;       /* the user who mounted it, if it is a FUSE mount; else 0 */
	gid_t gid;
	uint64_t digest; /* of all that the table says of it */
	char root[PATH_MAX]; /* the directory of the file system that is mounted */
	char path[PATH_MAX];
	char type[64];
};

/**
 * Calls `each` for every mount, in the table's order, until it returns true. `mounts_fd` is
 * MOUNT_TABLE, -1: it is opened; with it, the call takes no descriptor and no memory. Returns 0 or
 * -errno.
 */
int mount_table_each(
	int mounts_fd, bool (*each)(void *context, const struct table_mount *mount), void *context);
