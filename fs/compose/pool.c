#include "pool.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "cleanup.h"
#include "clock.h"
#include "lock.h"

/* Threads that never take a large job, at least. */
#define SMALL_THREADS 2

/* More would only wait for each other's memory. */
#define THREADS_MAX 10

/* Bytes. A thread that waits for another process has no tree to walk. */
#define WAITER_STACK ((size_t)1 << 20)

struct queue {
	struct pool_job *first;
	struct pool_job **end;
};

struct pool {
	struct lock lock;
	pthread_cond_t has_work;
	struct queue small; /* lock, as all that follows */
	struct queue large;
	struct pool_job *delayed; /* by when they are due */
	unsigned large_running;
	bool is_ending;
	unsigned thread_count; /* fixed */
	unsigned small_count;  /* fixed; of these never take a large job */
	pthread_t threads[THREADS_MAX + POOL_WAITERS_MAX];
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

/* What is due joins the small ones: it waits for a writer, or for memory, and not for long. */
static void take_due(struct pool *pool)
{
	struct timespec now;

	if (!pool->delayed)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	while (pool->delayed && !is_earlier(&now, &pool->delayed->due)) {
		struct pool_job *job = pool->delayed;
		pool->delayed = job->next;
		queue_put(&pool->small, job);
	}
}

static struct pool_job *next_job(struct pool *pool, bool *is_large)
{
	take_due(pool);
	struct pool_job *job = queue_take(&pool->small);
	*is_large = false;
	if (job || pool->large_running + pool->small_count >= pool->thread_count)
		return job;
	job = queue_take(&pool->large);
	*is_large = job != NULL;
	return job;
}

/* The time is copied: another thread may run the job meanwhile, and free it. */
static void wait_for_job(struct pool *pool)
{
	struct timespec due = pool->delayed ? pool->delayed->due : (struct timespec){0};

	lock_wait(&pool->lock, &pool->has_work, pool->delayed ? &due : NULL);
}

static void *run(void *context)
{
	struct pool *pool = context;

	lock_take(&pool->lock);
	while (!pool->is_ending) {
		bool is_large;
		struct pool_job *job = next_job(pool, &is_large);
		if (!job) {
			wait_for_job(pool);
			continue;
		}
		pool->large_running += is_large;
		lock_release(&pool->lock);
		job->run(job);
		lock_take(&pool->lock);
		pool->large_running -= is_large;
	}
	lock_release(&pool->lock);
	return NULL;
}

static void pool_freep(struct pool **pool)
{
	pool_free(*pool);
}

/* They wait for the lock. *started counts those that there are. */
static int start_threads_locked(struct pool *pool, unsigned count, unsigned *started)
{
	sigset_t all, old;
	pthread_attr_t small;
	int r = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, WAITER_STACK);
	while (r == 0 && *started < count) {
		bool is_waiter = *started + pool->small_count >= count + SMALL_THREADS;
		r = -pthread_create(&pool->threads[*started], is_waiter ? &small : NULL, run, pool);
		*started += r == 0;
	}
	pthread_attr_destroy(&small);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r;
}

int pool_new(unsigned threads, unsigned waiters, struct pool **ret)
{
	CLEANUP(pool_freep) struct pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return -ENOMEM;
	lock_init(&pool->lock, LOCK_POOL);
	pthread_cond_init(&pool->has_work, NULL);
	queue_init(&pool->small);
	queue_init(&pool->large);
	if (threads && threads < POOL_THREADS_MIN)
		threads = POOL_THREADS_MIN;
	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	if (waiters > POOL_WAITERS_MAX)
		waiters = POOL_WAITERS_MAX;
	pool->small_count = SMALL_THREADS + waiters;
	threads += waiters;
	lock_take(&pool->lock);
	int r = start_threads_locked(pool, threads, &pool->thread_count);
	lock_release(&pool->lock);
	if (r < 0)
		return r;
	*ret = take_ptr(pool);
	return 0;
}

unsigned pool_threads(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return (unsigned)(count > 1 ? count - 1 : 1) + SMALL_THREADS;
}

/* What waits, in whichever queue. */
static struct pool_job *take_any(struct pool *pool)
{
	lock_take(&pool->lock);
	struct pool_job *job = queue_take(&pool->small);
	if (!job)
		job = queue_take(&pool->large);
	if (!job && pool->delayed) {
		job = pool->delayed;
		pool->delayed = job->next;
	}
	lock_release(&pool->lock);
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
	lock_take(&pool->lock);
	bool was_ending = pool->is_ending;
	pool->is_ending = true;
	pthread_cond_broadcast(&pool->has_work);
	lock_release(&pool->lock);
	for (unsigned i = 0; !was_ending && i < pool->thread_count; i++)
		pthread_join(pool->threads[i], NULL);
	drop_waiting(pool);
}

int pool_resume(struct pool *pool)
{
	unsigned started = 0;

	drop_waiting(pool);
	lock_take(&pool->lock);
	int r = start_threads_locked(pool, pool->thread_count, &started);
	pool->is_ending = r < 0;
	lock_release(&pool->lock);
	while (r < 0 && started > 0)
		pthread_join(pool->threads[--started], NULL);
	return r;
}

void pool_free(struct pool *pool)
{
	if (!pool)
		return;
	pool_stop(pool);
	pthread_cond_destroy(&pool->has_work);
	lock_fini(&pool->lock);
	free(pool);
}

void pool_add(struct pool *pool, struct pool_job *job, uint64_t bytes)
{
	if (!pool->thread_count) {
		job->run(job);
		return;
	}
	lock_take(&pool->lock);
	queue_put(bytes > POOL_LARGE_BYTES ? &pool->large : &pool->small, job);
	pthread_cond_signal(&pool->has_work);
	lock_release(&pool->lock);
}

void pool_add_later(struct pool *pool, struct pool_job *job, unsigned delay_us)
{
	struct pool_job **place = &pool->delayed;

	if (!pool->thread_count) {
		nanosleep(&(struct timespec){delay_us / 1000000, delay_us % 1000000 * 1000L}, NULL);
		job->run(job);
		return;
	}
	job->due = clock_in_us(delay_us);
	lock_take(&pool->lock);
	while (*place && !is_earlier(&job->due, &(*place)->due))
		place = &(*place)->next;
	job->next = *place;
	*place = job;
	pthread_cond_signal(&pool->has_work);
	lock_release(&pool->lock);
}
