/*
 * The request loop: threads that read requests from /dev/fuse and have libfuse take them apart,
 * until the session ends.
 *
 *      main thread   the handshake; then waits for a signal, an heir (handover.h), or for a thread
 *                    that ended
 *      its threads   read ──▶ ops.c ──▶ reply, read …      woken by a signal at the end
 *
 * libfuse's own loop cancels its threads (pthread_cancel(3)). For that glibc loads another library
 * at the very end, and where memory or descriptors are short by then the program is aborted.
 */
#pragma once

#include "driver.h"

/* Descriptors that the main thread polls besides waiting for its threads. */
struct request_loop_hook {
	int fd;         /* -1: nothing; polled for POLLIN */
	int helpers_fd; /* helper_watch(); -1: nothing */
	int keep_fd;    /* keep_fd(); -1: nothing */

	/*
	 * Whether the loop is to end, and the session is not: not by fuse_session_exit(), with
	 * which libfuse loses a request that has just been read.
	 */
	bool (*handle)(void *context);
	void (*take_helpers)(void *context);
	bool (*take_keep)(void *context); /* false: keep_fd is closed */
	void *context;

	/* Called when requests are answered from now on; NULL: nobody. */
	void (*begun)(void *context);
	void *begun_context;
};

/**
 * Answers the kernel's first request, INIT, before all others. Returns 0 with a copy of the request
 * in *ret, for free(3), whose data are NULL if memory is short or the session has ended; or -errno.
 * *is_parallel: the kernel sends several LOOKUPs of one directory at a time.
 */
int request_loop_greet(struct fuse_session *fuse, struct span *ret, bool *is_parallel);

/**
 * Serves with up to `threads` threads until fuse_session_exit(), by a signal for instance, until
 * the mount has ended, or the hook wants it. Returns 0, or -errno.
 */
int request_loop_run(
	struct fuse_session *fuse, unsigned threads, const struct request_loop_hook *hook);

/** The request that this thread is taking apart. Lives until that is done. */
struct span request_loop_current(void);

/** Takes a request apart as if the kernel had sent it now. */
void request_loop_ask(struct fuse_session *fuse, struct span request);
