/*
 * Small jobs never wait for large ones, and a delayed job runs when it is due.
 *
 * The linker sends calls of lock_wait() here (--wrap).
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "lock.h"
#include "pool.h"
#include "test.h"

#define LARGE ((uint64_t)POOL_LARGE_BYTES + 1)
#define JOBS 32

/* A job that reports that it runs, and may wait for permission to end. */
struct job {
	struct pool_job job; /* first */
	sem_t *waits_for;
};

static struct pool *pool;
static sem_t running, gate, done;
static int dropped;

static void run(struct pool_job *job)
{
	sem_t *waits_for = ((struct job *)job)->waits_for;

	sem_post(&running);
	if (waits_for)
		sem_wait(waits_for);
	sem_post(&done);
}

static void drop(struct pool_job *job)
{
	(void)job;
	dropped++;
}

static int set_up(void **state)
{
	(void)state;
	sem_init(&running, 0, 0);
	sem_init(&gate, 0, 0);
	sem_init(&done, 0, 0);
	dropped = 0;
	return pool_new(4, 0, &pool);
}

static bool comes_in(sem_t *semaphore, long ms)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return sem_timedwait(semaphore, &until) == 0;
}

static struct job watched;
static atomic_bool is_lent;

int __real_pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
	clockid_t clock, const struct timespec *until);
int __wrap_pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
	clockid_t clock, const struct timespec *until);
int __wrap_pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
	clockid_t clock, const struct timespec *until)
{
	if (until == &watched.job.due)
		atomic_store(&is_lent, true);
	return __real_pthread_cond_clockwait(condition, mutex, clock, until);
}

TEST_WITH(small_job_does_not_wait_for_large_ones, set_up, NULL)
{
	struct job large[JOBS], small = {.job = {.run = run, .drop = drop}};

	for (int i = 0; i < JOBS; i++) {
		large[i] = (struct job){{.run = run, .drop = drop}, &gate};
		pool_add(pool, &large[i].job, LARGE);
	}
	/* Two of the four threads take no large job. */
	assert_true(comes_in(&running, 10000));
	assert_true(comes_in(&running, 10000));
	assert_false(comes_in(&running, 100));
	pool_add(pool, &small.job, 0);
	assert_true(comes_in(&done, 10000));
	for (int i = 0; i < JOBS; i++)
		sem_post(&gate);
	for (int i = 0; i < JOBS; i++)
		assert_true(comes_in(&done, 10000));
	pool_free(pool);
	assert_int_equal(dropped, 0);
}

TEST_WITH(delayed_job_comes_when_it_is_due, set_up, NULL)
{
	struct job late = {.job = {.run = run, .drop = drop}},
		   soon = {.job = {.run = run, .drop = drop}};

	pool_add_later(pool, &late.job, 300000);
	pool_add_later(pool, &soon.job, 20000);
	assert_true(comes_in(&done, 10000));
	assert_false(comes_in(&done, 50));
	assert_true(comes_in(&done, 10000));
	pool_free(pool);
}

TEST_WITH(what_waits_when_the_pool_ends_is_dropped, set_up, NULL)
{
	struct job blocked[2], waiting = {.job = {.run = run, .drop = drop}},
			       late = {.job = {.run = run, .drop = drop}};

	for (int i = 0; i < 2; i++) {
		blocked[i] = (struct job){{.run = run, .drop = drop}, &gate};
		pool_add(pool, &blocked[i].job, LARGE);
		assert_true(comes_in(&running, 10000));
	}
	pool_add(pool, &waiting.job, LARGE);
	pool_add_later(pool, &late.job, 60000000);
	sem_post(&gate);
	/* The third may or may not have begun before the end. */
	sem_post(&gate);
	sem_post(&gate);
	pool_free(pool);
	assert_in_range(dropped, 1, 2);
}

/* A waiting thread checks the time without a lock: another may have run the job by then. */
TEST_WITH(who_waits_for_a_delayed_job_needs_it_no_more, set_up, NULL)
{
	watched = (struct job){.job = {.run = run, .drop = drop}};
	pool_add_later(pool, &watched.job, 20000);
	assert_true(comes_in(&done, 10000));
	pool_free(pool);
	assert_false(atomic_load(&is_lent));
}

struct counted {
	struct pool_job job; /* first */
	atomic_uint *ended;
};

static void end_counted(struct pool_job *job)
{
	struct counted *counted = (struct counted *)job;

	atomic_fetch_add(counted->ended, 1);
	free(counted);
}

struct adding {
	atomic_bool ends;
	atomic_uint ended;
	unsigned added;
};

static void *add_all_the_time(void *context)
{
	struct adding *adding = context;

	while (!atomic_load(&adding->ends)) {
		struct counted *counted = malloc(sizeof(*counted));
		if (!counted)
			abort();
		*counted =
			(struct counted){{.run = end_counted, .drop = end_counted}, &adding->ended};
		adding->added++;
		pool_add(pool, &counted->job, adding->added % 3 ? 0 : LARGE);
		usleep(10);
	}
	return NULL;
}

/* For instance a verdict that comes while a take-over fails. */
TEST_WITH(who_adds_while_it_stops_and_goes_on_loses_nothing, set_up, NULL)
{
	struct job job = {.job = {.run = run, .drop = drop}};
	struct adding adding = {0};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, add_all_the_time, &adding), 0);
	for (int i = 0; i < 200; i++) {
		pool_stop(pool);
		usleep(100);
		assert_int_equal(pool_resume(pool), 0);
	}
	atomic_store(&adding.ends, true);
	pthread_join(thread, NULL);
	pool_add(pool, &job.job, 0);
	assert_true(comes_in(&done, 10000));
	pool_free(pool);
	assert_true(adding.added > 200);
	assert_int_equal(adding.ended, adding.added);
}

TEST_WITH(with_no_threads_the_caller_runs_it, set_up, NULL)
{
	struct job job = {.job = {.run = run, .drop = drop}};

	pool_free(pool);
	assert_int_equal(pool_new(0, 0, &pool), 0);
	pool_add(pool, &job.job, LARGE);
	assert_int_equal(sem_trywait(&done), 0);
	pool_add_later(pool, &job.job, 1000);
	assert_int_equal(sem_trywait(&done), 0);
	pool_free(pool);
}
