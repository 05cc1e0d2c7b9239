/* Mountpoints, by /proc/self/mountinfo (proc(5)). */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "problem.h"

/**
 * Checks that `path` can be a mountpoint. It must be a directory without a plyfs on it. Unless
 * `may_be_system`, it must not be a directory of the system (/, /etc, /usr …). Unmounts a dead
 * mount (ENOTCONN). Returns 0 with *ret, the absolute path without links, for free(3); PROBLEM,
 * also if a file system does not answer (probe.h); or -errno.
 */
int mountpoint_prepare(const char *path, bool may_be_system, char **ret, struct problem *problem);

/** Makes a missing directory `path`, and those above it, with mode 0755. Returns 0 or -errno. */
int mountpoint_make(const char *path);

/**
 * Returns whether programs may need `path` (absolute), or a path above or below it, to start. While
 * no process answers a mount on such a path, no program can start, not even a new plyfs.
 */
bool mountpoint_is_for_programs(const char *path);

/* A plyfs that is mounted. */
struct mountpoint {
	char *path; /* absolute, without links */
	dev_t dev;  /* of its superblock */
	uid_t uid;  /* of the user who mounted */
	gid_t gid;
};

/**
 * Finds the plyfs that is the top mount at `path`, even a dead one. Returns 0 with ret->path for
 * free(3); -ENOENT: there is no mount, or the top one is not a plyfs; or another -errno.
 */
int mountpoint_take(const char *path, struct mountpoint *ret);

/** Returns whether this mount namespace has a mount of the superblock `dev`; true if unknown. */
bool mountpoint_is_elsewhere(dev_t dev);

/**
 * Unmounts the top mount at `path`, with the `flags` of umount2(2). If the kernel does not permit
 * that, runs fusermount3. Returns 0 or -errno. If fusermount3 fails, returns -EPERM: it refused;
 * -ENOENT: it is not installed; or -ENXIO: it can't work, because /etc/mtab is missing.
 */
int mountpoint_end(const char *path, int flags);

/**
 * Finds the top mount at the absolute `path`. Returns 0 with its id and device, -ENOENT, or another
 * -errno.
 */
int mountpoint_find(const char *path, int *mount_id, dev_t *dev);

/**
 * Returns whether the mount `mount_id` of the superblock `dev` is in the mount table `mounts_fd`
 * (an open /proc/self/mountinfo); true if the table can't be read. Needs no new descriptor and no
 * memory.
 */
bool mountpoint_is_mounted(int mounts_fd, int mount_id, dev_t dev);

/* The flags of mount(2) that a user can choose. */
struct mount_flags {
	bool has_no_exec;  /* noexec */
	bool has_no_links; /* nosymfollow */
};

/**
 * Makes the kernel follow no links in the mount at `path`. Call it before answering any request.
 * Returns 0; -EPERM: only root can; -EINVAL: the kernel is older than 5.14; or another -errno.
 */
int mountpoint_forbid_links(const char *path);

/**
 * Returns whether the mount table `mounts_fd` has another file system on `path`, or below it; true
 * if that is unknown. `path` is relative to the root of the superblock `dev`.
 */
bool mountpoint_is_covered(int mounts_fd, dev_t dev, const char *path);

/**
 * Makes a private, writable clone of the mount at `path`, and makes the mount itself read-only.
 * Needs CAP_SYS_ADMIN (open_tree(2), mount_setattr(2)). Returns a descriptor of the clone's root,
 * or -errno.
 */
int mountpoint_clone(const char *path);
