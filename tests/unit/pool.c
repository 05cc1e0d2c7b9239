/* Small jobs never wait for large ones, and a delayed job runs when it is due. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "await.h"
#include "coroutine.h"
#include "pool.h"
#include "test.h"

#define LARGE ((uint64_t)POOL_LARGE_BYTES + 1)
#define JOBS 32

/* A job, which may wait for permission to end. */
struct job {
	struct pool_job job; /* first */
	bool waits;
};

static struct pool *pool;
static struct coroutine_queue gate;
static int running, done, dropped;

static void run(struct pool_job *job)
{
	running++;
	if (((struct job *)job)->waits)
		coroutine_wait(&gate, NULL);
	done++;
}

static void drop(struct pool_job *job)
{
	(void)job;
	dropped++;
}

static struct job job_new(bool waits)
{
	return (struct job){{.run = run, .drop = drop}, waits};
}

/* The pool's turn, for 1 ms. */
static void turn(void)
{
	await_pause_us(1000);
}

static bool comes_to_be(const int *count, int number)
{
	for (int i = 0; i < 10000 && *count < number; i++)
		turn();
	return *count == number;
}

static int set_up(void **state)
{
	(void)state;
	running = done = dropped = 0;
	return pool_new(false, &pool);
}

TEST_WITH(small_job_does_not_wait_for_large_ones, set_up, NULL)
{
	struct job large[JOBS], small = job_new(false);

	for (int i = 0; i < JOBS; i++) {
		large[i] = job_new(true);
		pool_add(pool, &large[i].job, LARGE);
	}
	assert_true(comes_to_be(&running, POOL_LARGE_JOBS));
	turn();
	assert_int_equal(running, POOL_LARGE_JOBS);
	pool_add(pool, &small.job, 0);
	assert_true(comes_to_be(&done, 1));
	while (done < JOBS + 1) {
		coroutine_wake_all(&gate);
		turn();
	}
	pool_free(pool);
	assert_int_equal(dropped, 0);
}

TEST_WITH(delayed_job_comes_when_it_is_due, set_up, NULL)
{
	struct job late = job_new(false), soon = job_new(false);

	pool_add_later(pool, &late.job, 4000000);
	pool_add_later(pool, &soon.job, 20000);
	assert_true(comes_to_be(&done, 1));
	await_pause_us(50000);
	assert_int_equal(done, 1);
	assert_true(comes_to_be(&done, 2));
	pool_free(pool);
}

TEST_WITH(many_jobs_run_at_the_same_time, set_up, NULL)
{
	struct job jobs[JOBS];

	for (int i = 0; i < JOBS; i++) {
		jobs[i] = job_new(true);
		pool_add(pool, &jobs[i].job, 0);
	}
	assert_true(comes_to_be(&running, POOL_JOBS));
	while (done < JOBS) {
		coroutine_wake_all(&gate);
		turn();
	}
	pool_free(pool);
}

/* Whichever way the jobs before it came: there is a coroutine for the next one. */
TEST_WITH(job_does_not_wait_for_one_that_was_delayed, set_up, NULL)
{
	struct job blocked[POOL_JOBS - 1], next = job_new(false);

	for (int i = 0; i < POOL_JOBS - 1; i++) {
		blocked[i] = job_new(true);
		if (i % 2)
			pool_add_later(pool, &blocked[i].job, 1000);
		else
			pool_add(pool, &blocked[i].job, 0);
		assert_true(comes_to_be(&running, i + 1));
	}
	pool_add(pool, &next.job, 0);
	assert_true(comes_to_be(&done, 1));
	while (done < POOL_JOBS) {
		coroutine_wake_all(&gate);
		turn();
	}
	pool_free(pool);
}

static struct job second;

static void take_second_back(struct pool_job *job)
{
	run(job);
	pool_take_back(pool, &second.job);
}

TEST_WITH(job_that_is_taken_back_does_not_run, set_up, NULL)
{
	struct job first = job_new(false), last = job_new(false);

	/* Each coroutine that wakes takes all jobs that are due, and runs one. */
	first.job.run = take_second_back;
	second = job_new(false);
	pool_add_later(pool, &first.job, 0);
	pool_add_later(pool, &second.job, 0);
	assert_true(comes_to_be(&done, 1));
	pool_add_later(pool, &second.job, 20000);
	pool_add_later(pool, &last.job, 30000);
	pool_take_back(pool, &second.job);
	assert_true(comes_to_be(&done, 2));
	turn();
	assert_int_equal(done, 2);
	pool_free(pool);
	assert_int_equal(dropped, 0);
}

/* Returns how often the process sleeps while the pool has its turn. */
static long sleeps_in_turn(void)
{
	struct rusage before, after;

	getrusage(RUSAGE_THREAD, &before);
	await_pause_us(50000);
	getrusage(RUSAGE_THREAD, &after);
	return after.ru_nvcsw - before.ru_nvcsw;
}

TEST_WITH(job_that_is_taken_back_wakes_nothing, set_up, NULL)
{
	struct job job = job_new(false);
	long least = LONG_MAX;

	/* The process may sleep for another reason, too, such as a page of memory. */
	for (int i = 0, tries = 0; i < 5; tries++) {
		int before = done;

		pool_add_later(pool, &job.job, 20000);
		turn();
		assert_true(tries < 1000);
		/* On a busy machine it may be due already. */
		if (done != before)
			continue;
		pool_take_back(pool, &job.job);
		long sleeps = sleeps_in_turn();
		least = sleeps < least ? sleeps : least;
		assert_int_equal(done, before);
		i++;
	}
	assert_int_equal(least, 1);
	pool_free(pool);
}

TEST_WITH(delayed_jobs_that_are_due_together_do_not_wait_for_each_other, set_up, NULL)
{
	struct job jobs[JOBS / 2];

	for (int i = 0; i < JOBS / 2; i++) {
		jobs[i] = job_new(true);
		pool_add_later(pool, &jobs[i].job, 1000);
	}
	assert_true(comes_to_be(&running, JOBS / 2));
	coroutine_wake_all(&gate);
	assert_true(comes_to_be(&done, JOBS / 2));
	pool_free(pool);
}

static void let_go(void *context)
{
	(void)context;
	await_pause_us(10000);
	coroutine_wake_all(&gate);
}

TEST_WITH(job_that_waits_when_the_pool_ends_is_dropped, set_up, NULL)
{
	struct job blocked[POOL_LARGE_JOBS], waiting = job_new(false), late = job_new(false);
	struct coroutine *helper;

	for (int i = 0; i < POOL_LARGE_JOBS; i++) {
		blocked[i] = job_new(true);
		pool_add(pool, &blocked[i].job, LARGE);
	}
	assert_true(comes_to_be(&running, POOL_LARGE_JOBS));
	pool_add(pool, &waiting.job, LARGE);
	pool_add_later(pool, &late.job, 60000000);
	assert_int_equal(coroutine_new(let_go, NULL, &helper), 0);
	pool_free(pool);
	coroutine_join(helper);
	assert_int_equal(done, POOL_LARGE_JOBS);
	assert_int_equal(dropped, 2);
}

/* For instance a verdict that comes while a take-over fails. */
TEST_WITH(job_that_is_added_while_the_pool_is_stopped_is_dropped_or_run, set_up, NULL)
{
	struct job before = job_new(false), between = job_new(false), after = job_new(false);

	pool_add(pool, &before.job, 0);
	pool_stop(pool);
	pool_add(pool, &between.job, LARGE);
	assert_int_equal(pool_resume(pool), 0);
	assert_int_equal(done + dropped, 2);
	pool_add(pool, &after.job, 0);
	assert_true(comes_to_be(&running, done + 1));
	pool_free(pool);
	assert_int_equal(done + dropped, 3);
}

TEST_WITH(idle_pool_runs_a_job_at_once, set_up, NULL)
{
	struct job job = job_new(false);

	pool_free(pool);
	assert_int_equal(pool_new(true, &pool), 0);
	pool_add(pool, &job.job, LARGE);
	assert_int_equal(done, 1);
	pool_add_later(pool, &job.job, 1000);
	assert_int_equal(done, 2);
	pool_free(pool);
}
