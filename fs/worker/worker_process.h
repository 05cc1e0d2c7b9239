/*
 * The worker's side: what plyfs-worker does from fork(2) to its end.
 */
#pragma once

#include "worker.h"

/* The exit code of a worker that lacks the memory to say so. */
#define WORKER_NO_MEMORY 3

/**
 * Seconds of a processor, to read a source or to merge. The readers' own limit (limit.h) is less:
 * this one is for a reader that has a fault. 0: no limit.
 */
static inline unsigned worker_seconds(const struct settings *settings)
{
	uint64_t own = settings->limits.time_ms / 1000;

	return settings->limits.time_ms ? 5 + 2 * (unsigned)(own < UINT16_MAX ? own : UINT16_MAX)
					: 0;
}

/* Shared with the daemon, which reads it when the worker has failed. */
struct worker_page {
	atomic_bool is_ready;            /* it takes jobs */
	char source[PROBLEM_SOURCE_MAX]; /* that is read just now, as messages name it; "": none */
};

/**
 * Before anything else, and in any state of the process: it ends some seconds after the daemon has
 * closed its end of the socket, whatever it is busy with, unless it waits in the kernel.
 */
void worker_end_with(int socket);

/**
 * For a task of few system calls: none of them is interrupted by a signal until the task has ended.
 * Some file systems then fail with EINTR.
 */
void worker_block_signals(void);

/** Works until the socket is closed. `composer` is the daemon's: its settings are the worker's. */
__attribute__((noreturn)) void worker_process(
	int socket, struct worker_page *page, const struct composer *composer);

/**
 * For a task: asks the daemon for the last good text of a source that may stand in, read as
 * `options` say. Returns one reference, or NULL.
 */
struct loaded *worker_ask_stand_in(
	const struct layer *layer, const char *path, const struct read_options *options);
