/*
 * The mount process: makes the system calls on our own mount.
 *
 *      publisher ──"replace app.yaml"──▶ mount process ──renameat(2)──▶ kernel ──▶ a reader
 *          ◀───────────── errno ─────────────┘
 *
 * Each call waits until the daemon answers the requests that the call causes. If the daemon made a
 * call, it would wait for itself; so this child process makes the calls. It holds a private clone
 * of the mount (own_mount.h), but not /dev/fuse. If the daemon is killed, the call under way fails.
 *
 * While a coroutine waits in mount_process_call(), another coroutine may call
 * mount_process_cancel(), but no other function of this header.
 */
#pragma once

#include <sys/types.h>

#include "sandbox.h"

struct mount_process {
	const char *mountpoint;
	int socket; /* to the process; -1: none */
};

enum mount_call {
	MOUNT_CALL_REPLACE, /* renames "new-N" in the stage (driver.h) over the path */
	MOUNT_CALL_REMOVE,
	MOUNT_CALL_MAKE_DIRECTORY,
	MOUNT_CALL_REMOVE_DIRECTORY,
	/* makes the kernel read the file's times again, and report the change */
	MOUNT_CALL_TOUCH,
};

/**
 * Starts the process, and waits until it has looked up the paths that its start needs. Call it
 * before the mount is made. The text `mountpoint` must outlive *process. Returns 0 or -errno.
 */
int mount_process_start(struct mount_process *process, const char *mountpoint,
	const struct sandbox_switches *switches);

/**
 * Gives the process the mount of the superblock `dev`, and waits until the process is in its
 * sandbox. From then on calls go through `clone_fd`, which stays the caller's. If `clone_fd` is -1,
 * calls go through the mountpoint, as long as `dev` is the top mount there. Returns 0 or -errno.
 */
int mount_process_enter(struct mount_process *process, dev_t dev, int clone_fd);

/**
 * Makes a call for `path`, relative to the root. The coroutine waits. Returns 0; -EXDEV: another
 * file system is mounted over ours; -EPIPE: the process has ended, or was cancelled; or -errno.
 */
int mount_process_call(const struct mount_process *process, enum mount_call call, const char *path);

/** Ends the call under way, and refuses all later ones: each returns -EPIPE. */
void mount_process_cancel(const struct mount_process *process);

/** Kills the process, and waits for its end. No call may be under way. */
void mount_process_end(struct mount_process *process);

/** Does mount_process_end(), and closes the socket. */
void mount_process_fini(struct mount_process *process);
