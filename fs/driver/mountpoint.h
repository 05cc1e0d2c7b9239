/* Mountpoints, by /proc/self/mountinfo (proc(5)). */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "problem.h"

/**
 * Checks that `path` can be a mountpoint: a directory without a plyfs on it. If `may_be_system` is
 * false, refuses a directory of the system (/, /etc, /usr …). Unmounts a dead mount (ENOTCONN).
 * Returns 0 with *ret, the absolute path without links, for free(3); PROBLEM; or -errno.
 */
int mountpoint_prepare(const char *path, bool may_be_system, char **ret, struct problem *problem);

/** Makes `path` and the directories above it, if missing, with `mode`. Returns 0 or -errno. */
int mountpoint_make(const char *path, unsigned mode);

/**
 * Returns whether programs may need files at or below `path` (absolute) to start, such as files in
 * /usr. While a mount at such a path does not answer, perhaps no program can start.
 */
bool mountpoint_is_for_programs(const char *path);

/* A plyfs that is mounted. */
struct mountpoint {
	char *path; /* absolute, without links */
	int id;     /* in /proc/self/mountinfo */
	dev_t dev;  /* of its superblock */
	uid_t uid;  /* of the user who mounted */
	gid_t gid;
};

/**
 * Finds the plyfs that is the top mount at `path`, even a dead one. Returns 0 with ret->path for
 * free(3); -ENOENT: there is no mount, or the top one is not a plyfs; or another -errno.
 */
int mountpoint_take(const char *path, struct mountpoint *ret);

/** Returns whether a process answers for the mount at `path`. False if unknown. */
bool mountpoint_answers(const char *path);

/**
 * Unmounts the top mount at `path`, with the `flags` of umount2(2). If the kernel does not permit
 * that, runs fusermount3. Returns 0 or -errno. From fusermount3: -EPERM: it refused; -ENOENT: it is
 * not installed; -ENXIO: /etc/mtab, which it needs, is missing.
 */
int mountpoint_end(const char *path, int flags);

/**
 * Returns whether the mount table `mounts_fd` (an open /proc/self/mountinfo; -1: opens it) has the
 * mount `mount_id` (0: any mount) of the superblock `dev`; true if the table can't be read.
 */
bool mountpoint_is_mounted(int mounts_fd, int mount_id, dev_t dev);

/**
 * Returns whether the mount table `mounts_fd` has another file system on `path`, or below it; true
 * if that is unknown. `path` is relative to the root of the superblock `dev`.
 */
bool mountpoint_is_covered(int mounts_fd, dev_t dev, const char *path);
