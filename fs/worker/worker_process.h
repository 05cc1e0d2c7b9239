/* The worker's side: plyfs-worker from fork(2) to its end. */
#pragma once

#include "coroutine.h"
#include "worker.h"

/* The exit status of a worker without memory for an answer. */
#define WORKER_NO_MEMORY COROUTINE_NO_MEMORY

/**
 * Returns the seconds of processor time for reading one source, or for one merge; 0: no limit. The
 * readers' own limit (limit.h) is lower; this one stops a reader that has a bug.
 */
static inline unsigned worker_seconds(const struct settings *settings)
{
	uint64_t own = settings->options.limits.time_ms / 1000;

	return settings->options.limits.time_ms
		       ? 5 + 2 * (unsigned)(own < UINT16_MAX ? own : UINT16_MAX)
		       : 0;
}

/* Memory that the worker shares with the daemon. */
struct worker_page {
	atomic_bool is_ready;            /* it takes jobs */
	atomic_uint steps;               /* number of calls of worker_note_step() */
	char source[PROBLEM_SOURCE_MAX]; /* the source that is being read, for messages; "": none */
};

/**
 * Makes the new process end when it has used a second or two of a processor after the daemon has
 * closed the other end of the socket. Call this directly after fork(2), when the process already
 * dies with the daemon (forked_dies_with()). Allocates nothing.
 */
void worker_end_with(int socket);

/**
 * Notes that one more of a task's many system calls was answered, so the worker does not stand
 * still (worker_job.patience_ms). Outside of a worker it does nothing.
 */
void worker_note_step(void);

/**
 * Blocks the worker's own signal until the task has ended. For a task of few system calls, as on
 * some file systems these fail with EINTR if a signal arrives.
 */
void worker_block_signals(void);

/**
 * Does jobs until the socket is closed, with the settings of the daemon's `composer`. `watches`, a
 * descriptor of inotify(7), has a higher number than any that the worker reads from; -1: none.
 */
__attribute__((noreturn)) void worker_process(
	int socket, int watches, struct worker_page *page, const struct composer *composer);

/** For a task: returns `watches` of worker_process(). */
int worker_watches(void);

/**
 * For a task: asks the daemon for the last good text of a source, as a fallback, and parses it by
 * `options`. Returns one reference; NULL: none.
 */
struct loaded *worker_ask_fallback(
	const struct layer *layer, const char *path, const struct read_options *options);
