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
	uid_t uid;           /* of the user who mounted it, if it is a FUSE mount; else 0 */
	gid_t gid;           /* of that user, if it is a FUSE mount; else 0 */
	uint64_t digest;     /* a hash of the mount's line in the table */
	char root[PATH_MAX]; /* the mounted directory, as a path in its file system */
	char path[PATH_MAX];
	char type[64];
};

/** Returns whether file systems of the mount's type depend on another process or machine. */
bool mount_table_is_remote(const struct table_mount *mount);

/**
 * Returns 0 if the device is that of a local file system, -EREMOTE if it is a remote one's, or
 * another -errno. If no mount has the device, as with a btrfs subvolume, the device counts as
 * local. Asks no file system. Results are cached until the table changes. Only one thread may call
 * this function.
 */
int mount_table_check(dev_t dev);

/**
 * Calls `each` for every mount, in the table's order, until `each` returns true. With `mounts_fd`,
 * an open MOUNT_TABLE, the function needs no other descriptor and no memory. If `mounts_fd` is
 * -1, the function opens the table. Returns 0 or -errno.
 */
int mount_table_each(
	int mounts_fd, bool (*each)(void *context, const struct table_mount *mount), void *context);
