/*
 * The pool: a few threads that compose, and the queue of their jobs.
 *
 *      a first look ──▶ pool_add ──▶ small ──▶ any thread ─────────────┐
 *      a change     ──▶              large ──▶ all threads but some ───┴──▶ job->run
 *
 * Small jobs go before large ones, and at least two threads never take a large one. So a small job
 * waits only for small ones. Each of the two queues is first in, first out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* A job that reads more bytes than this is large: a few milliseconds' work. */
#define POOL_LARGE_BYTES (256u << 10)

struct pool;

/* A job, inside of a larger struct. The pool does not free it. */
struct pool_job {
	void (*run)(struct pool_job *job);  /* in a thread of the pool; may add the job again */
	void (*drop)(struct pool_job *job); /* called instead, if the pool is stopped first */

	/* private to the pool */
	struct pool_job *next;
	struct timespec due; /* CLOCK_MONOTONIC */
};

/**
 * Makes a pool of `threads` threads (from POOL_THREADS_MIN to 10), and up to POOL_WAITERS_MAX
 * `waiters`: threads with a small stack for small jobs that wait for other processes. The threads
 * block all signals. If both numbers are 0, pool_add() runs the job itself: for tests.
 * Returns 0 with *ret for pool_free(), or -errno.
 */
#define POOL_THREADS_MIN 3
#define POOL_WAITERS_MAX 8
int pool_new(unsigned threads, unsigned waiters, struct pool **ret);

/** Returns the number of threads for this machine's processors. */
unsigned pool_threads(void);

/**
 * Waits for the running jobs, drops the waiting ones, and ends the threads. Jobs that are added
 * later wait until pool_resume() or pool_free() drops them.
 */
void pool_stop(struct pool *pool);

/**
 * Drops the jobs that were added since pool_stop(), and starts the threads again. Returns 0, or
 * -errno with the pool still stopped.
 */
int pool_resume(struct pool *pool);

/** Stops and frees the pool. NULL: nothing. */
void pool_free(struct pool *pool);

/** Queues the job, which reads about `bytes`. The caller may hold locks below LOCK_POOL. */
void pool_add(struct pool *pool, struct pool_job *job, uint64_t bytes);

/** Queues the job, which does not run before `delay_us` have passed. */
void pool_add_later(struct pool *pool, struct pool_job *job, unsigned delay_us);
