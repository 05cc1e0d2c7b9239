/* The worker's side: plyfs-worker from fork(2) to its end. */
#pragma once

#include "coroutine.h"
#include "worker.h"

/* The exit status of a worker without memory for an answer. */
#define WORKER_NO_MEMORY COROUTINE_NO_MEMORY

/**
 * Returns the seconds of processor time that the reading of one source, or one merge, may take;
 * 0: no limit. The parsers' own limit (limit.h) is lower; this one stops a parser that has a bug.
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
	atomic_bool is_ready;            /* the worker takes jobs */
	atomic_uint steps;               /* number of calls of worker_note_step() */
	char source[PROBLEM_SOURCE_MAX]; /* the source that is being read, for messages; "": none */
};

/**
 * From now on, the calling process checks after each second of processor time whether the daemon
 * has closed the other end of the socket. If so, the process ends. Call this function in the new
 * process, right after fork(2) and forked_dies_with() (forked.h). Allocates nothing.
 */
void worker_end_with(int socket);

/**
 * For a task (worker.h) of many system calls: notes that one more was answered, which proves that
 * the worker does not stand still (worker_job.patience_ms). Outside of a worker, does nothing.
 */
void worker_note_step(void);

/**
 * Until the task has ended, blocks SIGPROF, the signal of the timer that limits the worker's
 * processor time. On some file systems a system call would fail with EINTR if the signal arrived.
 * Only for a task of few system calls.
 */
void worker_block_signals(void);

/**
 * Does jobs until the socket is closed, with the settings of the daemon's `composer`. `watches` is
 * a descriptor of inotify(7), whose number must be higher than that of any descriptor from which
 * the worker reads; -1: there is none.
 */
__attribute__((noreturn)) void worker_process(
	int socket, int watches, struct worker_page *page, const struct composer *composer);

/** For a task: returns the argument `watches` of worker_process(). */
int worker_watches(void);

/**
 * For a task: asks the daemon for the last good text of a source, as a fallback, and parses it by
 * `options`. Returns one reference; NULL: none.
 */
struct loaded *worker_ask_fallback(
	const struct layer *layer, const char *path, const struct read_options *options);
