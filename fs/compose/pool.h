/*
 * The pool: coroutines that run jobs, and the queues of these jobs.
 *
 *      a first look ──▶ pool_add ──▶ small jobs ──▶ any coroutine ────┐
 *      a change     ──▶              large jobs ──▶ some coroutines ──┴──▶ job->run
 *
 * Small jobs go before large ones. Each of the two queues is first in, first out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* A job that reads more bytes than this is large. */
#define POOL_LARGE_BYTES (256u << 10)

/* Maximum numbers of jobs, and of large jobs among them, that run at the same time. */
#define POOL_JOBS 18
#define POOL_LARGE_JOBS 8

struct pool;

/* A job, inside of a larger struct. The pool does not free it. */
struct pool_job {
	void (*run)(struct pool_job *job);  /* in a coroutine of the pool; may add the job again */
	void (*drop)(struct pool_job *job); /* called in place of `run`, if the pool is stopped */

	/* private to the pool */
	struct pool_job *next;
	struct timespec due; /* CLOCK_MONOTONIC */
};

/**
 * Makes a pool. With `is_idle`, the pool has no coroutines, and pool_add() and pool_add_later() run
 * the job themselves. Returns 0 with *ret for pool_free(), or -ENOMEM.
 */
int pool_new(bool is_idle, struct pool **ret);

/**
 * Waits for the running jobs, drops the waiting ones, and ends the coroutines. Jobs that are added
 * later do not run: pool_resume() or pool_free() drops them.
 */
void pool_stop(struct pool *pool);

/** Makes the coroutines again. Returns 0, or -ENOMEM with the pool still stopped. */
int pool_resume(struct pool *pool);

/** Stops and frees the pool. NULL: does nothing. */
void pool_free(struct pool *pool);

/** Queues a job that reads about `bytes`. The job begins only when the calling coroutine waits. */
void pool_add(struct pool *pool, struct pool_job *job, uint64_t bytes);

/** Queues the job, which does not begin before `delay_us` have passed. */
void pool_add_later(struct pool *pool, struct pool_job *job, unsigned delay_us);

/** Removes a job of pool_add_later() that has not begun. Does not call job->drop. */
void pool_take_back(struct pool *pool, const struct pool_job *job);
