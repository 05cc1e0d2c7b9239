/* The mounts in this process's mount name space: /proc/self/mountinfo (proc(5)). */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MOUNT_TABLE "/proc/self/mountinfo"

struct table_mount {
	int id;
	int parent; /* id of the mount that this mount lies on */
	dev_t dev;
	uid_t uid;           /* FUSE: of the user who mounted; else 0 */
	gid_t gid;           /* FUSE: of the user who mounted; else 0 */
	uint64_t digest;     /* hash of the mount's line in the table */
	char root[PATH_MAX]; /* the mounted directory, as a path in its file system */
	char path[PATH_MAX];
	char type[64];
};

/** Returns whether file systems of the mount's type depend on another process or machine. */
bool mount_table_is_remote(const struct table_mount *mount);

/**
 * Returns 0 if the device belongs to a local file system; -EREMOTE if to a remote one; or -errno.
 * A device that no mount has, such as that of a btrfs subvolume, counts as local. Asks no file
 * system. Call this function from one thread alone: it caches results.
 */
int mount_table_check(dev_t dev);

/**
 * Calls `each` for every mount, in the table's order, until `each` returns true. `mounts_fd` is an
 * open MOUNT_TABLE; -1: opens one. Allocates nothing. Returns 1 if `each` has returned true, 0, or
 * -errno.
 */
int mount_table_each(
	int mounts_fd, bool (*each)(void *context, const struct table_mount *mount), void *context);
