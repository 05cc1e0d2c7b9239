/*
 * The notifier: a thread that makes the kernel drop names from its caches.
 *
 * The kernel holds a directory while it waits for the answer to a LOOKUP in it, and
 * fuse_lowlevel_notify_inval_entry() waits for the directory. So the thread that answers requests
 * must not call it. There is a notifier only in a mount that can't be published to in another way.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

struct fuse_session;

struct notifier {
	int socket; /* -1: there is no thread */
	pthread_t thread;
};

/**
 * Makes the kernel drop `name` from the directory `ino`; `name` NULL: the listing and the
 * attributes of `ino`. The calling coroutine waits. Returns 0 or -errno.
 */
int notifier_tell(
	struct notifier *notifier, struct fuse_session *fuse, uint64_t ino, const char *name);

/** Makes notifier_tell() return -EPIPE from now on. */
void notifier_cancel(const struct notifier *notifier);

/** Waits for the thread, which the end of the mount releases. */
void notifier_fini(struct notifier *notifier);
