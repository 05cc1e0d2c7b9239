/*
 * The pool: a few threads that compose, and the queue of what waits for them.
 *
 *      a first look ──▶ pool_add ──▶ small ──▶ any thread ─────────────┐
 *      a change     ──▶              large ──▶ all threads but some ───┴──▶ job->run
 *
 * Small jobs go before large ones, and two threads or more never take a large one: so however many large
 * ones there are, a small one waits for small ones alone. In each of the two queues the first that
 * came is the first that is run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* A job that reads more bytes than this is large: a few milliseconds' work. */
#define POOL_LARGE_BYTES (256u << 10)

struct pool;

/* A part of what it is about; the pool does not free it. */
struct pool_job {
	void (*run)(struct pool_job *job);  /* in a thread of the pool; may add the job again */
	void (*drop)(struct pool_job *job); /* in place of that, when the pool ends before */

	/* private to the pool */
	struct pool_job *next;
	struct timespec due; /* CLOCK_MONOTONIC */
};

/**
 * With `threads` 0 there are none, and pool_add() itself runs the job: for tests that want one
 * thing after the other. Else at least POOL_THREADS_MIN are started, with all signals blocked, and
 * `waiters` more that take small jobs only: for jobs that mostly wait for other processes.
 * Returns 0 with *ret for pool_free(), or -errno.
 */
#define POOL_THREADS_MIN 3
#define POOL_WAITERS_MAX 8
int pool_new(unsigned threads, unsigned waiters, struct pool **ret);

/** As many threads as this machine's processors are worth. */
unsigned pool_threads(void);

/**
 * Waits for the jobs that run, drops those that wait, and ends the threads. What is added from then
 * on is dropped by pool_resume() or pool_free().
 */
void pool_stop(struct pool *pool);

/**
 * Goes on after pool_stop(). Who adds a job meanwhile, from any thread, has it dropped or run.
 * Returns 0, or -errno: it is stopped as before.
 */
int pool_resume(struct pool *pool);

/** As pool_stop(), and frees it. NULL: nothing. */
void pool_free(struct pool *pool);

/** Has the job run, which reads about `bytes`. Any thread may call it, with no lock of a higher
 * rank. */
void pool_add(struct pool *pool, struct pool_job *job, uint64_t bytes);

/** The same, in `delay_us` at the earliest. */
void pool_add_later(struct pool *pool, struct pool_job *job, unsigned delay_us);
