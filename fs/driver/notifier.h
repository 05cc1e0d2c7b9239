/*
 * The notifier: a thread that makes the kernel drop names from its caches.
 *
 * The kernel locks a directory while it waits for the answer to a LOOKUP in it, and
 * fuse_lowlevel_notify_inval_entry() waits for that lock. So the thread that answers requests must
 * not call this function. The first notifier_tell() starts the notifier's thread. It is needed when
 * a change can't be published by a system call on the mount, or when a directory that the kernel
 * already knows is missing in a listing that the kernel caches.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

struct fuse_session;

struct notifier {
	int socket; /* to the thread; -1: there is none */
	pthread_t thread;
};

/**
 * Makes the kernel drop `name` from the directory `ino`; `name` NULL: makes it drop the listing and
 * the attributes of `ino`. The calling coroutine waits. Returns 0 or -errno.
 */
int notifier_tell(
	struct notifier *notifier, struct fuse_session *fuse, uint64_t ino, const char *name);

/**
 * If there is a thread, makes notifier_tell() return -EPIPE from now on, also to a coroutine that
 * waits in it.
 */
void notifier_cancel(const struct notifier *notifier);

/**
 * Ends the thread, and waits for it. It may be in a call of the kernel, which returns when the
 * mount has ended.
 */
void notifier_fini(struct notifier *notifier);
