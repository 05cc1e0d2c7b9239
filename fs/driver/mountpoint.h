/*
 * Mountpoints: what is mounted where, as /proc/self/mountinfo (proc(5)) has it.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "problem.h"

/**
 * Makes `path` fit to be mounted on: it must be a directory with no plyfs on it, and none that the
 * system lives in (/, /etc, /usr …), unless `may_be_system`; a dead mount (ENOTCONN) is taken away.
 * Returns 0 with *ret, its absolute path without links, for free(3); PROBLEM, also for what does
 * not answer (probe.h); or -errno.
 */
int mountpoint_prepare(const char *path, bool may_be_system, char **ret, struct problem *problem);

/** Makes the directory `path` if need be, and those above it, with mode 0755. 0 or -errno. */
int mountpoint_make(const char *path);

/**
 * Whether programs may not start, ours among them, while nobody answers for what is mounted at
 * `path` (absolute): the service manager, the dynamic linker or the kernel may want something in
 * it.
 */
bool mountpoint_is_for_programs(const char *path);

/* A plyfs that is mounted. */
struct mountpoint {
	char *path; /* absolute, without links */
	dev_t dev;  /* of its superblock */
	uid_t uid;  /* who mounted */
	gid_t gid;
};

/**
 * The plyfs on top at `path`, also one that is dead. Returns 0 with ret->path for free(3); -ENOENT
 * where another file system is, or none; or another -errno.
 */
int mountpoint_take(const char *path, struct mountpoint *ret);

/** Whether the superblock is mounted anywhere in this mount name space, or that can't be told. */
bool mountpoint_is_elsewhere(dev_t dev);

/**
 * Unmounts what is on top at `path`, `flags` as umount2(2), with fusermount3 as an ordinary user.
 * Returns 0 or -errno: -EPERM from fusermount3, whatever it had against it; -ENOENT: it is missing;
 * -ENXIO: it can't work, as /etc/mtab is missing.
 */
int mountpoint_end(const char *path, int flags);

/** The mount on top at `path` (absolute): 0 with its id and device, -ENOENT, or another -errno. */
int mountpoint_find(const char *path, int *mount_id, dev_t *dev);

/**
 * Whether that mount is there, in the mount name space that `mounts_fd` (/proc/self/mountinfo) is
 * of; also where it can't be told. It takes no descriptor and no memory. An id alone may be
 * another's by now.
 */
bool mountpoint_is_mounted(int mounts_fd, int mount_id, dev_t dev);

/* What mount(2) calls flags, of those that a plyfs has only on demand. */
struct mount_flags {
	bool has_no_exec;  /* noexec */
	bool has_no_links; /* nosymfollow */
};

/**
 * Has links in the mount at `path` not followed; nobody sees them followed before, as no request is
 * answered yet. 0; -EPERM: only root can; -EINVAL: the kernel is older than 5.14; or another
 * -errno.
 */
int mountpoint_forbid_links(const char *path);

/**
 * Whether something is mounted at `path` of the superblock, relative to its root, or below, in the
 * mount name space that `mounts_fd` is of; also where that can't be told.
 */
bool mountpoint_is_covered(int mounts_fd, dev_t dev, const char *path);

/**
 * Makes a private, writable clone of the mount at `path` and turns the visible one read-only. Needs
 * CAP_SYS_ADMIN (open_tree(2), mount_setattr(2)). Returns a descriptor of the clone's root, or
 * -errno.
 */
int mountpoint_clone(const char *path);
