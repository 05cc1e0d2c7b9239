/* The mounts in this process's mount name space: /proc/self/mountinfo (proc(5)). */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MOUNT_TABLE "/proc/self/mountinfo"

struct table_mount {
	int id;
	int parent; /* id of the mount that it lies on */
	dev_t dev;
	uid_t uid; /* the user who mounted it, if it is a FUSE mount; else 0 */
	gid_t gid;
	uint64_t digest;     /* a hash of all that the table says about it */
	char root[PATH_MAX]; /* the directory of the file system that is mounted here */
	char path[PATH_MAX];
	char type[64];
};

/** Returns whether a file system of that type depends on another process or machine. */
bool mount_table_is_remote(const struct table_mount *mount);

/**
 * Calls `each` for every mount, in the table's order, until `each` returns true. `mounts_fd` is an
 * open MOUNT_TABLE: then the call needs no other descriptor and no memory. -1: opens the table
 * itself. Returns 0 or -errno.
 */
int mount_table_each(
	int mounts_fd, bool (*each)(void *context, const struct table_mount *mount), void *context);
