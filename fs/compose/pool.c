#include "pool.h"

#include <errno.h>
#include <stdlib.h>

#include "await.h"
#include "cleanup.h"
#include "clock.h"
#include "coroutine.h"

/* Coroutines that are made before the first job. */
#define POOL_RESTING 2

struct queue {
	struct pool_job *first;
	struct pool_job **end;
};

/* ENDS: its coroutines end, or have ended. IDLE: it never has any. */
enum pool_state { POOL_RUNS, POOL_ENDS, POOL_IDLE };

struct pool {
	struct coroutine_queue idle;
	struct queue small;
	struct queue large;
	struct pool_job *delayed; /* in the order in which they become due */
	unsigned running;         /* jobs */
	unsigned large_running;
	enum pool_state state;
	unsigned count; /* number of coroutines; at rest POOL_RESTING, as each costs memory */
	struct coroutine *coroutines[POOL_JOBS];
};

static void queue_init(struct queue *queue)
{
	queue->first = NULL;
	queue->end = &queue->first;
}

static void queue_put(struct queue *queue, struct pool_job *job)
{
	job->next = NULL;
	*queue->end = job;
	queue->end = &job->next;
}

static struct pool_job *queue_take(struct queue *queue)
{
	struct pool_job *job = queue->first;

	if (!job)
		return NULL;
	queue->first = job->next;
	if (!queue->first)
		queue->end = &queue->first;
	return job;
}

static bool is_earlier(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* Has a coroutine woken when the next job becomes due. */
static void set_due(struct pool *pool)
{
	coroutine_wake_at(&pool->idle, pool->delayed ? &pool->delayed->due : NULL);
}

/* Queues a due job with the small ones: it has waited for a writer, or for memory. */
static void take_due(struct pool *pool)
{
	struct timespec now;
	bool is_more = false;

	if (!pool->delayed)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	while (pool->delayed && !is_earlier(&now, &pool->delayed->due)) {
		struct pool_job *job = pool->delayed;
		pool->delayed = job->next;
		queue_put(&pool->small, job);
		/* The caller takes only one. */
		if (is_more)
			coroutine_wake(&pool->idle);
		is_more = true;
	}
	set_due(pool);
}

static struct pool_job *next_job(struct pool *pool, bool *is_large)
{
	struct pool_job *job = queue_take(&pool->small);

	*is_large = false;
	/* One coroutine is left for small jobs, even if memory for more is short. */
	if (job || pool->large_running >= POOL_LARGE_JOBS || pool->large_running + 2 > pool->count)
		return job;
	job = queue_take(&pool->large);
	*is_large = job != NULL;
	return job;
}

static void run(void *context);

/* Makes coroutines, up to `count` and POOL_JOBS. Returns 0 or -ENOMEM. */
static int grow(struct pool *pool, unsigned count)
{
	int r = 0;

	while (r == 0 && pool->count < count && pool->count < POOL_JOBS) {
		r = coroutine_new(run, pool, &pool->coroutines[pool->count]);
		pool->count += r == 0;
	}
	return r;
}

static void run(void *context)
{
	struct pool *pool = context;

	while (pool->state == POOL_RUNS) {
		bool is_large;
		take_due(pool);
		/* One for this job, and one for the next: it must not wait for this job's end,
		 * unless memory is short. */
		if (pool->small.first || pool->large.first)
			(void)grow(pool, pool->running + 2);
		struct pool_job *job = next_job(pool, &is_large);
		if (!job) {
			coroutine_wait(&pool->idle, NULL);
			continue;
		}
		pool->running++;
		pool->large_running += is_large;
		job->run(job);
		pool->large_running -= is_large;
		pool->running--;
	}
}

static void end(struct pool *pool)
{
	if (pool->state == POOL_IDLE)
		return;
	pool->state = POOL_ENDS;
	coroutine_wake_all(&pool->idle);
	while (pool->count)
		coroutine_join(pool->coroutines[--pool->count]);
}

int pool_new(bool is_idle, struct pool **ret)
{
	struct pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return -ENOMEM;
	queue_init(&pool->small);
	queue_init(&pool->large);
	pool->state = is_idle ? POOL_IDLE : POOL_RUNS;
	int r = is_idle ? 0 : grow(pool, POOL_RESTING);
	if (r < 0) {
		pool_free(pool);
		return r;
	}
	*ret = pool;
	return 0;
}

/* Takes a waiting job from any queue. */
static struct pool_job *take_any(struct pool *pool)
{
	struct pool_job *job = queue_take(&pool->small);

	if (!job)
		job = queue_take(&pool->large);
	if (!job && pool->delayed) {
		job = pool->delayed;
		pool->delayed = job->next;
	}
	return job;
}

static void drop_waiting(struct pool *pool)
{
	struct pool_job *job;

	while ((job = take_any(pool)))
		job->drop(job);
}

void pool_stop(struct pool *pool)
{
	end(pool);
	drop_waiting(pool);
}

int pool_resume(struct pool *pool)
{
	drop_waiting(pool);
	pool->state = POOL_RUNS;
	int r = grow(pool, POOL_RESTING);
	if (r < 0)
		end(pool);
	return r;
}

void pool_free(struct pool *pool)
{
	if (!pool)
		return;
	pool_stop(pool);
	free(pool);
}

void pool_add(struct pool *pool, struct pool_job *job, uint64_t bytes)
{
	if (pool->state == POOL_IDLE) {
		job->run(job);
		return;
	}
	queue_put(bytes > POOL_LARGE_BYTES ? &pool->large : &pool->small, job);
	coroutine_wake(&pool->idle);
}

void pool_add_later(struct pool *pool, struct pool_job *job, unsigned delay_us)
{
	struct pool_job **place = &pool->delayed;

	if (pool->state == POOL_IDLE) {
		await_pause_us(delay_us);
		job->run(job);
		return;
	}
	job->due = clock_in_us(delay_us);
	while (*place && !is_earlier(&job->due, &(*place)->due))
		place = &(*place)->next;
	job->next = *place;
	*place = job;
	set_due(pool);
}

void pool_take_back(struct pool *pool, const struct pool_job *job)
{
	struct pool_job **at = &pool->delayed;

	while (*at && *at != job)
		at = &(*at)->next;
	if (*at) {
		*at = job->next;
		set_due(pool);
		return;
	}
	/* It may be due already. */
	for (at = &pool->small.first; *at && *at != job;)
		at = &(*at)->next;
	if (*at && !(*at = job->next))
		pool->small.end = at;
}
