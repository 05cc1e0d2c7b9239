/*
 * The request loop: coroutines that read requests from /dev/fuse and pass them to libfuse, until
 * the session ends.
 *
 *      root           the handshake; then waits for a signal (handover.h)
 *      readers        wait ──▶ read ──▶ ops.c ──▶ reply, read …
 */
#pragma once

#include "driver.h"

/* Three descriptors that the loop polls for POLLIN, and the function that it calls for each. */
struct request_loop_hook {
	int fd;           /* handover_fd(); -1: none */
	int helpers_fd;   /* helper_watch(); -1: none */
	int last_good_fd; /* last_good_fd(); -1: none */

	/*
	 * Handles `fd`. Returns true if the loop must end although the session goes on. Do not call
	 * fuse_session_exit() instead, as libfuse would lose a request that was just read.
	 */
	bool (*handle)(void *context);
	void (*take_helpers)(void *context);
	int (*take_last_good)(void *context); /* returns the last_good_fd from now on */
	void *context;

	/* Called when the loop begins to answer requests; may be NULL. */
	void (*begun)(void *context);
	void *begun_context;
};

/**
 * Answers the kernel's first request, INIT. Returns 0 or -errno. *ret must be empty, and becomes a
 * copy of the request, with ret->data for free(3). If memory is short or no request was read, *ret
 * stays empty. If the kernel sends several LOOKUPs in one directory at a time, adds
 * FUSE_CAP_PARALLEL_DIROPS to *in_force.
 */
int request_loop_greet(struct fuse_session *fuse, struct span *ret, unsigned *in_force);

/**
 * Serves until fuse_session_exit() is called, the mount has ended, or hook->handle returns true.
 * Only the root coroutine (coroutine.h) may call it. Returns 0 or -errno.
 */
int request_loop_run(struct fuse_session *fuse, const struct request_loop_hook *hook);

/** Returns the request that is being handled. It is valid until the handler waits or returns. */
struct span request_loop_current(void);

/** Handles `request`, aligned as by malloc(3), as if the kernel had just sent it. */
void request_loop_ask(struct fuse_session *fuse, struct span request);
