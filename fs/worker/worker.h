/*
 * Workers: the processes plyfs-worker, which read sources and merge them for the daemon.
 *
 *      job of the pool (pool.h) ──job──▶ plyfs-worker: loads, parses, merges, validates
 *                               ◀─ask──
 *                               ──reply▶
 *                               ◀─answer─
 *
 * A worker may ask the daemon for the path of a name under a directory (finder.h), for the last
 * good text of a source, and for the target of a link that leads out of the layers.
 *
 * Contract: if a source crashes its parser, keeps the parser busy for ever or uses up memory, one
 * worker is lost. The merged file keeps its last good version, with a fault; no other file is
 * affected. After three failures, the file is not merged again until one of its sources or
 * dependencies changes, or the settings do.
 *
 * The daemon forks a worker when a job needs it. The worker inherits the settings and the layers'
 * descriptors, but no bytes of files (bytes.h). It enters its sandbox (reader_sandbox.h), and does
 * one job at a time. Two workers are kept, each with a cache of parsed sources. The first of them
 * gets no large jobs (worker_job.bytes). If neither is free soon, one more worker is forked for the
 * waiting job alone.
 *
 * A worker stands still if it neither uses a processor nor gets answers from a file system. Such a
 * worker is left alone: it gets no job any more, and ends as soon as it can. A kept worker that
 * stands still is replaced, while fewer than 4 * WORKERS_LEFT_MAX workers stand still.
 *
 * The daemon takes a worker's messages as hostile input (record.h).
 */
#pragma once

#include "compose.h"
#include "record.h"

/* Number of kept workers: those that live on after their job. */
#define WORKERS_KEPT 2

/* While this many workers stand still, no worker is forked for one job alone. */
#define WORKERS_LEFT_MAX 16

/* The longest wait for a kept worker, in ms, while WORKERS_LEFT_MAX workers stand still. */
#define WORKER_PATIENCE_MS 10000

/* Bytes that a worker may allocate, in addition to what the daemon had at the fork. */
#define WORKER_MEMORY ((size_t)2 << 30)

struct workers;

/*
 * A task: a function that runs in a worker. It reads the job and the sources before it writes to
 * `answer`, because each source that is read adds its text to `answer`. `composer` has the worker's
 * cache. composer->fallbacks is NULL: a task asks the daemon for fallbacks (worker_ask_fallback()).
 * Returns 0 or -errno.
 */
typedef int worker_task(const struct composer *composer, struct record *job, struct record *answer);

struct worker_job {
	worker_task *task;
	const struct composer *composer; /* with the job's settings and is_cancelled */
	const char *path;                /* in the tree; it names the job */
	/* A hash of the sources' state, for failed_job.h; 0: failures are not counted. */
	uint64_t state;
	/*
	 * The st_dev of a file system that may not answer; 0: none. If a worker has already waited
	 * patience_ms, which must be set, for this file system, workers_run() returns -ETIMEDOUT at
	 * once.
	 */
	dev_t file_system;
	/*
	 * The worker counts as standing still after this time without processor time and without a
	 * step (worker_note_step(), worker_process.h). 0: twice the settings' answer_ms.
	 */
	int patience_ms;
	/* Once the worker has sent no message for this time, its steps do not count any more: its
	 * processor time alone decides whether it stands still. 0: 10 minutes. */
	int longest_ms;
	/* The size of the sources, roughly. Above POOL_LARGE_BYTES (pool.h) the job is large. */
	uint64_t bytes;
	void (*put)(const void *context, struct record *message); /* writes the task's input */
	const void *put_context;
	/* Gets the names asked of the finder, as `asked` of compose() does; a name may repeat. */
	struct path_list *asked; /* NULL: not needed */
};

/**
 * Makes an empty set of workers. Workers keep the inotify(7) descriptor `watches` open; -1: none.
 * Returns 0 with *ret for workers_free(), or -ENOMEM.
 */
int workers_new(int watches, struct workers **ret);

/** Ends the workers. Call it when no job is under way. NULL: does nothing. */
void workers_free(struct workers *workers);

/** Cancels all jobs: workers_run() returns -ECANCELED. Set the composers' is_cancelled before. */
void workers_cancel(struct workers *workers);

/**
 * Forgets the failures of jobs for `path`. worker_job.state does not cover all files from which
 * `path` is made: call this function if one of the other files has changed.
 */
void workers_try_again(struct workers *workers, const char *path);

/** Returns whether there are failures that workers_try_again() could forget. */
bool workers_have_failures(const struct workers *workers);

/** Notes the settings of later jobs. Workers with other settings end, busy ones after their job. */
void workers_renew(struct workers *workers, const struct settings *settings);

struct worker_answer {
	struct record *record; /* the task's output */
	struct loaded **texts; /* the sources that the task read; one reference each */
	size_t text_count;
};

/**
 * Gives the job to a worker, and waits until the worker answers or fails.
 *
 * Returns 0 with *ret for worker_answer_fini(); PROBLEM: the worker has failed; -ETIMEDOUT: a file
 * system does not answer; -ENOMEM; -ECANCELED; or another -errno. After PROBLEM or -ETIMEDOUT,
 * `problem` has the reason. Exception: if -ETIMEDOUT comes at once because of job->file_system,
 * `problem` does not change.
 */
int workers_run(struct workers *workers, const struct worker_job *job, struct worker_answer *ret,
	struct problem *problem);

/** Returns the longest time, in ms, that a worker has waited for `file_system`; 0: none waits. */
int64_t workers_waited_ms(struct workers *workers, dev_t file_system);

/** Adds the answer's texts to `cache`, as fallbacks for sources that break later. */
void worker_answer_keep(struct worker_answer *answer, struct source_cache *cache);

void worker_answer_fini(struct worker_answer *answer);

struct worker_counts {
	unsigned running; /* processes that have a job, or may get one */
	unsigned left;    /* processes that get no job any more, and have not ended */
	uint64_t failed;  /* jobs at which a worker crashed, or was too slow or too large */
};

void workers_count(struct workers *workers, struct worker_counts *ret);
