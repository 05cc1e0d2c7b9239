/*
 * The notifier: a thread that makes the kernel drop names from its caches.
 *
 * The kernel locks a directory while it waits for the answer to a LOOKUP in it, and
 * fuse_lowlevel_notify_inval_entry() waits for that lock. So the thread that answers requests must
 * not call this function. The first notifier_tell() starts the notifier's thread.
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
 * Makes the kernel drop `name` from the directory `ino`; `name` NULL: makes the kernel drop the
 * cached listing (or content) and the attributes of `ino`. The calling coroutine waits. Returns 0
 * or -errno.
 */
int notifier_tell(
	struct notifier *notifier, struct fuse_session *fuse, uint64_t ino, const char *name);

/**
 * Makes notifier_tell() return -EPIPE from now on, also to a coroutine that waits in it. Does
 * nothing if there is no thread yet.
 */
void notifier_cancel(const struct notifier *notifier);

/**
 * Ends the thread, if there is one, and waits for its end. Call it after the mount has ended: until
 * then the kernel may hold the thread in a call.
 */
void notifier_fini(struct notifier *notifier);
