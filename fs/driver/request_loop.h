/*
 * The request loop: threads that read requests from /dev/fuse and have libfuse take them apart,
 * until the session ends.
 *
 *      main thread   the handshake; then waits for a signal, or for a thread that ended
 *      its threads   read ──▶ ops.c ──▶ reply, read …      woken by a signal at the end
 *
 * libfuse's own loop cancels its threads (pthread_cancel(3)). For that glibc loads another library
 * at the very end, and where memory or descriptors are short by then the program is aborted.
 */
#pragma once

#include "driver.h"

/**
 * Serves with up to `threads` threads until fuse_session_exit(), by a signal for instance, or until
 * the mount has ended. Returns 0, or -errno.
 */
int request_loop_run(struct fuse_session *fuse, unsigned threads);
