/* The worker's side: plyfs-worker from fork(2) to its end. */
#pragma once

#include "coroutine.h"
#include "worker.h"

/* The process's name (PR_SET_NAME). */
#define WORKER_NAME "plyfs-worker"

/* The exit status of a worker without memory for an answer. */
#define WORKER_NO_MEMORY COROUTINE_NO_MEMORY

/**
 * Returns the seconds of processor time that reading one source, or one merge, may take; 0: no
 * limit. This limit stops a parser with a bug; the parsers' own limit (limit.h) is lower.
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
	/* 0: the worker takes no jobs yet; then 1, and one more with each worker_note_step() */
	atomic_uint steps;
	char source[PROBLEM_SOURCE_MAX]; /* the source that is being read, for messages; "": none */
};

/**
 * Makes this process end if the other end of the socket is closed: a timer checks that after each
 * second of processor time. Call this right after forked_dies_with() (forked.h). Allocates nothing.
 */
void worker_end_with(int socket);

/**
 * For a task (worker.h) of many system calls: notes that one more call has returned. A worker that
 * goes on noting calls does not count as standing still (worker_job.patience_ms). Outside of a
 * worker, does nothing.
 */
void worker_note_step(void);

/**
 * For a task of few system calls: until the task ends, blocks SIGPROF, the signal of the processor
 * time limit. On some file systems this signal makes system calls fail with EINTR.
 */
void worker_block_signals(void);

/**
 * Does jobs until the socket is closed, with the settings of `composer`. `watches` is a descriptor
 * of inotify(7), or -1. If it is not -1, all other descriptors that the worker reads from must have
 * lower numbers: the sandbox allows read(2) from these alone (filter.c).
 */
__attribute__((noreturn)) void worker_process(
	int socket, int watches, struct worker_page *page, const struct composer *composer);

/** For a task: returns the argument `watches` of worker_process(). */
int worker_watches(void);

/** For a task: returns the last good text of a source, parsed, for loaded_unref(); NULL: none. */
struct loaded *worker_ask_fallback(
	const struct layer *layer, const char *path, const struct read_options *options);
