/*
 * The mount process: makes the system calls on our own mount.
 *
 *      publisher ──"replace app.yaml"──▶ mount process ──renameat(2)──▶ kernel ──▶ request threads
 *          ◀───────────── errno ─────────────┘
 *
 * Such a call waits until the daemon answers the requests that it makes. A thread of the daemon's
 * own that waits so can't be killed, and keeps /dev/fuse open: the kernel would never learn that
 * nobody is there to answer, and the mount would hang for ever. So the calls are made by a child
 * that holds the private clone of the mount and nothing else. When the daemon is killed, the kernel
 * ends the connection, the call fails, and the child ends because its socket does.
 *
 * All but mount_process_cancel() is for one thread at a time.
 */
#pragma once

#include <sys/types.h>

#include "sandbox.h"

struct mount_process {
	const char *mountpoint;
	int socket; /* -1: none */
};

enum mount_call {
	MOUNT_CALL_REPLACE, /* renames a new name of the stage over the path */
	MOUNT_CALL_REMOVE,
	MOUNT_CALL_MAKE_DIRECTORY,
	MOUNT_CALL_REMOVE_DIRECTORY,
	/* has the kernel ask for the file's times, and report that they have changed */
	MOUNT_CALL_TOUCH,
};

/**
 * Starts it, before the mount is made, so that it never holds /dev/fuse. `mountpoint` is where that
 * will be. Returns 0 when it looks no path up any more; or -errno.
 */
int mount_process_start(struct mount_process *process, const char *mountpoint,
	const struct sandbox_switches *switches);

/**
 * Hands the mount over, the superblock `dev`. It works through `clone_fd`; or where that is -1 on
 * the mountpoint, as long as that superblock is on it. The descriptor stays the caller's. Returns 0
 * when the process is in its sandbox; or -errno.
 */
int mount_process_enter(struct mount_process *process, dev_t dev, int clone_fd);

/**
 * Has it make a call. Returns 0; -EXDEV where something else is mounted over us; -EPIPE when the
 * process has ended, or was to; or -errno.
 */
int mount_process_call(const struct mount_process *process, enum mount_call call, const char *path);

/** From any thread: has a call under way, and all that come, return -EPIPE. */
void mount_process_cancel(const struct mount_process *process);

/** Ends it, and waits for that: the clone is closed then. It may be making no call any more. */
void mount_process_end(struct mount_process *process);

/** Frees what is left of it. */
void mount_process_fini(struct mount_process *process);
