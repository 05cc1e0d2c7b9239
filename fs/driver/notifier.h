/*
 * The notifier: a thread that makes the kernel drop names from its caches.
 *
 * The thread that answers requests must not call fuse_lowlevel_notify_inval_entry(), which may wait
 * for the answer to a LOOKUP. The first notifier_tell() starts the notifier's thread.
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
 * Makes the kernel drop `name` from the directory `ino`; NULL: the cached listing or content of
 * `ino`, and its attributes. The calling coroutine waits. Returns 0 or -errno.
 */
int notifier_tell(
	struct notifier *notifier, struct fuse_session *fuse, uint64_t ino, const char *name);

/** If the thread runs, makes present and later calls of notifier_tell() return -EPIPE. */
void notifier_cancel(const struct notifier *notifier);

/**
 * Ends the thread, and waits for its end. Call it after the mount has ended: until then the kernel
 * may hold the thread in a call.
 */
void notifier_fini(struct notifier *notifier);
