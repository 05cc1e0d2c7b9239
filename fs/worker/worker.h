/*
 * Workers: the processes plyfs-worker, which read sources and merge them for the daemon.
 *
 *      thread of the pool ──job──▶ plyfs-worker: loads, parses, merges, validates
 *                         ◀─ask──  what the view finds; the last good text of a source; a file that
 *                         ──reply▶ only the monitor may open
 *                         ◀─answer─
 *
 * Contract: a source that crashes its parser, keeps it busy for ever or eats memory costs its own
 * path a worker, and nothing else. That path keeps its last good version, and the error says why;
 * after three failures the source is not read again until it changes. No other path notices.
 *
 * A worker is forked by the daemon when it is needed, so it has the settings and the layers'
 * descriptors without a message; of all others it keeps its socket alone. It has the daemon's
 * sandbox, and one of its own (sandbox.h). It does one job at a time. The hash of a path selects
 * one of two workers, whose cache has the parsed sources; if both have a job, one more is forked
 * for this job alone. With other settings, workers are forked anew.
 *
 * The daemon never waits for the end of a worker, nor for one that stands still: such a one is left
 * alone, counted, and ends as soon as it can. While as many as WORKERS_LEFT_MAX are left, jobs wait
 * for the two workers, which are replaced as long as less than four times as many are left.
 *
 * The daemon does not trust a worker's messages: it checks them as record.h says.
 */
#pragma once

#include "compose.h"
#include "record.h"

/* Workers that live on after their job. */
#define WORKERS_KEPT 2

/* While so many workers stand still, there are none beside those that are kept. */
#define WORKERS_LEFT_MAX 16

/* So long a job then waits for one of these. */
#define WORKER_PATIENCE_MS 10000

/* Bytes that a worker may take beyond what the daemon had when it was forked. */
#define WORKER_MEMORY ((size_t)2 << 30)

struct workers;

/*
 * A task that a worker can be given: in the worker, reads the job, and writes the answer when it
 * has read all of its sources. `composer` has the worker's cache, and no stand-ins. Returns 0 or
 * -errno.
 */
typedef int worker_task(const struct composer *composer, struct record *job, struct record *answer);

/* In the daemon: what a worker may ask for while it has a job. Called by the thread that waits. */
struct worker_requests {
	/* The last good text of a source that may stand in: one reference; NULL: none. */
	struct loaded *(*stand_in)(void *context, const struct layer *layer, const char *path);
	void *context;
};

/* A job. */
struct worker_job {
	worker_task *task;
	const struct composer *composer; /* of its settings; is_cancelled applies */
	const char *path;                /* what it is about, in the tree */
	/* State of what it reads: failures of this task are counted for it. 0: they are not. */
	uint64_t state;
	/*
	 * A file system, st_dev of struct stat, which may not answer: the job is refused with
	 * -ETIMEDOUT while a worker has another job of it for longer than this one's patience. 0:
	 * none is known.
	 */
	dev_t file_system;
	/* One that uses no processor for so long stands still; 0: twice the settings' answer_ms. */
	int patience_ms;
	void (*put)(const void *context, struct record *message); /* writes what the task reads */
	const void *put_context;
	const struct worker_requests *requests; /* NULL: it asks for no stand-in */
};

/**
 * Returns whether all workers work. With ThreadSanitizer, one that is forked while other threads
 * allocate stands still, and is replaced: a command that ends by itself does without workers.
 */
bool workers_are_reliable(void);

/**
 * None yet. They keep the descriptor `watches`, of inotify(7), besides their own; -1: none. Returns
 * 0 with *ret for workers_free(), or -ENOMEM.
 */
int workers_new(int watches, struct workers **ret);

/** No thread may use them any more. NULL: nothing. */
void workers_free(struct workers *workers);

/**
 * All that have a job are left, and their callers get -ECANCELED if `is_cancelled` is set. Any
 * thread.
 */
void workers_cancel(struct workers *workers);

/**
 * From now on jobs have these settings: workers with others end as soon as they have no job, and
 * the layers' descriptors with them. Any thread, with no lock.
 */
void workers_renew(struct workers *workers, const struct settings *settings);

/* A worker's answer. */
struct worker_answer {
	struct record *record; /* what the task wrote */
	struct loaded **texts; /* of the sources that were read for it; references */
	size_t text_count;
};

/**
 * Has a worker do the job, and waits for the answer, or until the worker fails.
 *
 * Returns 0 with *ret for worker_answer_fini(); PROBLEM: the worker has failed, and why;
 * -ETIMEDOUT: it has waited in vain for a file system, as `problem` says, and may be asked again;
 * -ENOMEM: the machine is short of memory; -ECANCELED; or another -errno.
 */
int workers_run(struct workers *workers, const struct worker_job *job, struct worker_answer *ret,
	struct problem *problem);

/**
 * Returns for how long a worker has now waited for the file system that its job named.
 * `file_system` 0: any that a job named. Any thread.
 */
int64_t workers_waited_ms(struct workers *workers, dev_t file_system);

/** Keeps the texts in `cache`, for sources that will be broken. */
void worker_answer_keep(struct worker_answer *answer, struct source_cache *cache);

void worker_answer_fini(struct worker_answer *answer);

/* The state of the workers. */
struct worker_counts {
	unsigned running; /* processes */
	unsigned left;    /* … that stand still */
	uint64_t failed;  /* ever: crashed, or were too slow or too large */
};

void workers_count(struct workers *workers, struct worker_counts *ret);
