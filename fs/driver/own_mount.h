/* Our own mount: its place in the mount table, its clone, and the directory that it lies on. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "problem.h"
#include "session.h"

struct fuse_session;

struct own_mount {
	char *path;     /* of the mountpoint: absolute, without links */
	int id;         /* of the visible mount, as in /proc/self/mountinfo; 0: not mounted yet */
	dev_t dev;      /* of the superblock */
	int table_fd;   /* /proc/self/mountinfo; -1: not open yet */
	int beneath_fd; /* the directory that the mount lies on; -1: not open yet */
	int clone_fd;   /* a clone of the mount (open_tree(2)), which a new daemon gets; -1: none */
};

/** Closes the descriptors. Does not unmount. */
void own_mount_fini(struct own_mount *mount);

/**
 * Finds the mountpoint, and opens the directory that the mount will lie on; in a take-over, gets
 * that directory from the previous daemon. Returns 0, PROBLEM or -errno.
 */
int own_mount_prepare(
	struct own_mount *mount, const struct session_options *options, struct problem *problem);

/** Mounts. If changes are to be published, clones the mount. Returns 0, PROBLEM or -errno. */
int own_mount_make(struct own_mount *mount, struct fuse_session *fuse,
	const struct session_options *options, struct problem *problem);

/** Returns whether our mount is in the mount table. Returns true if the table can't be read. */
bool own_mount_is_there(const struct own_mount *mount);

/**
 * Unmounts, even while programs wait for an answer. Returns 0; -EBUSY: another file system is
 * mounted over ours; or another -errno.
 */
int own_mount_end(const struct own_mount *mount);

/**
 * Waits until the mount is gone, and returns 0. If the dead mount is still there after
 * `timeout_ms`, unmounts, and returns -ECONNABORTED. Call it after the end of the connection.
 */
int own_mount_remove_aborted(const struct own_mount *mount, int timeout_ms);
