/*
 * Publishing by FUSE: how the publisher's changes reach the kernel.
 *
 * A change is an ordinary system call on our own mount, made by the mount process, plyfs-publish
 * (mount_process.h). VFS then swaps its dentries and notifies inotify watchers, as on a disk.
 *
 *      renameat(".plyfs/stage/new-7", "app.yaml")
 *        LOOKUP new-7, in the stage       ──▶  version N+1
 *        LOOKUP app.yaml, in the root     ──▶  version N
 *        RENAME                           ──▶  app.yaml shows N+1
 *
 *      utimensat("app.yaml")
 *        SETATTR                          ──▶  the present times of app.yaml
 *
 * new-7 and app.yaml must be different inodes: VFS drops a rename between two names of one inode
 * (rename(2)).
 *
 * If a file system is mounted on the path in our mount namespace, the kernel refuses the call
 * (EBUSY). If a file system is mounted there in another namespace, such as a container's, the
 * kernel unmounts that file system without a report, and makes the change.
 *
 * If the calls are not possible (the mount is hidden, a right is missing), plyfs invalidates the
 * kernel's caches. Then reads are right, but watchers get no events.
 */
#pragma once

#include <stdint.h>

#include "mount_process.h"
#include "own_mount.h"
#include "publisher.h"

/* How changes reach watchers. */
enum publish_mode {
	PUBLISH_CLONE, /* through a private clone of the mount; the visible mount is read-only */
	PUBLISH_PATH,  /* through the mountpoint's path */
	PUBLISH_NONE,  /* not at all: the kernel's caches are invalidated */
};

struct publishing {
	struct publisher *publisher;
	struct coroutine *coroutine;  /* the publisher's; NULL: it does not run */
	struct mount_process process; /* once the publisher runs, only the publisher calls it */
	enum publish_mode mode;
	int error;            /* errno of the last publication; 0: it succeeded */
	uint64_t published;   /* changes published by calls like rename(2) */
	uint64_t invalidated; /* changes for which the kernel's caches were invalidated instead */
};

/* The publisher's operations; their context is the session. */
extern const struct publisher_ops publishing_ops;

void publishing_fini(struct publishing *publishing);

/**
 * Makes the mount process ready for calls on our mount (mount_process_enter()): through the clone
 * of the mount; if there is none, through the mountpoint. Returns 0 or -errno.
 */
int publishing_enter(struct publishing *publishing, const struct own_mount *mount);

/** Ends the mount process, and sets PUBLISH_NONE. */
void publishing_end_process(struct publishing *publishing);
