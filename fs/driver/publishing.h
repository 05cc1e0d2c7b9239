/*
 * Publishing by FUSE: how the publisher's changes reach the kernel.
 *
 * A change is an ordinary system call on our own mount. VFS then swaps its dentries and notifies
 * inotify watchers, as on a disk.
 *
 *      renameat(".plyfs/stage/new-7", "app.yaml")
 *        LOOKUP new-7, in the stage       ──▶  version N+1
 *        LOOKUP app.yaml, in the root     ──▶  version N
 *        RENAME                           ──▶  app.yaml shows N+1
 *
 *      utimensat("app.yaml")
 *        SETATTR                          ──▶  the times that app.yaml has by now
 *
 * new-7 and app.yaml must be different inodes: VFS drops a rename between two names of one inode
 * (rename(2)).
 *
 * If another file system is mounted on the path in our mount namespace, the kernel refuses the call
 * (EBUSY). If it is mounted there in another namespace, such as a container's, the kernel makes the
 * change, and removes that mount without any report.
 *
 * If the calls are not possible (the mount is hidden, a right is missing), plyfs invalidates the
 * kernel's caches. Then reads are right, but watchers get no events. The status says so.
 */
#pragma once

#include <stdint.h>

#include "mount_process.h"
#include "notifier.h"
#include "own_mount.h"
#include "publisher.h"

/* How changes reach watchers. */
enum publish_mode {
	PUBLISH_CLONE, /* through a private clone of the mount; the visible mount is read-only */
	PUBLISH_PATH,  /* through the mountpoint's path */
	PUBLISH_NONE,  /* only by invalidating the kernel's caches: watchers get no events */
};

struct publishing {
	struct publisher *publisher;
	struct coroutine *coroutine;  /* the publisher's; NULL: it does not run */
	struct mount_process process; /* once the publisher runs, only the publisher calls it */
	struct notifier notifier;
	enum publish_mode mode;
	int error;            /* errno of the last publication; 0: it succeeded */
	uint64_t published;   /* changes published by rename(2) and its like */
	uint64_t invalidated; /* changes for which only the kernel's caches were invalidated */
};

/* The publisher's operations; their context is the session. */
extern const struct publisher_ops publishing_ops;

void publishing_init(struct publishing *publishing);

/**
 * Frees all but the notifier. Its thread needs the connection, so the caller ends the notifier
 * (notifier_fini()) before the connection.
 */
void publishing_fini(struct publishing *publishing);

/**
 * Makes the mount process ready for calls on our mount, by mount_process_enter(). The process makes
 * these calls through the clone of the mount if there is one, and otherwise through the mountpoint.
 * Returns 0 or -errno.
 */
int publishing_enter(struct publishing *publishing, const struct own_mount *mount);

/** Ends the mount process. From now on changes only invalidate the kernel's caches. */
void publishing_end_process(struct publishing *publishing);
