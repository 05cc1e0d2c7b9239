/*
 * How long the driver's threads are real-time ones. The times are real; where another has the
 * processor meanwhile, it is tried again.
 */
#include "crew.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TRIES 50

static struct crew crew;
static bool crew_was_realtime;

static uint64_t now_us(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static void work(uint64_t us)
{
	uint64_t end = now_us(CLOCK_THREAD_CPUTIME_ID) + us;

	while (now_us(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void rest_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static bool is_realtime(void)
{
	return sched_getscheduler(0) == SCHED_RR;
}

static uint64_t window(void)
{
	return now_us(CLOCK_MONOTONIC) / 1000 / CREW_WINDOW_MS;
}

/* A new window has just begun, and nothing is counted for it. */
static void come_to_window(void)
{
	uint64_t old = window();

	crew_end(&crew);
	rest_ms(CREW_WINDOW_MS);
	old = window();
	while (window() == old)
		;
}

/* Each test begins as the first: nothing is counted for its window. */
static int set_up(void **state)
{
	(void)state;
	crew_rest(&crew);
	rest_ms(2 * CREW_WINDOW_MS);
	crew_begin(&crew);
	return 0;
}

static void need_realtime(void)
{
	if (!is_realtime())
		skip(); /* this user may not have real-time threads */
}

static void thread_that_has_used_the_budget_is_ordinary_for_the_rest_of_the_window(void **state)
{
	(void)state;
	need_realtime();
	for (int try = 0; try < TRIES; try++) {
		come_to_window();
		uint64_t began_in = window();
		crew_begin(&crew);
		assert_true(is_realtime());
		work(CREW_BUDGET_US + 500);
		crew_begin(&crew);
		bool was_realtime = is_realtime();
		if (window() != began_in)
			continue;
		assert_false(was_realtime);
		rest_ms(2 * CREW_WINDOW_MS);
		crew_begin(&crew);
		assert_true(is_realtime());
		return;
	}
	fail_msg("never undisturbed for %d ms", CREW_WINDOW_MS);
}

static void long_work_of_long_ago_is_not_counted_for_the_next(void **state)
{
	(void)state;
	need_realtime();
	crew_begin(&crew);
	work(CREW_BUDGET_US * 3);
	crew_end(&crew);
	rest_ms(3 * CREW_WINDOW_MS);
	crew_begin(&crew);
	assert_true(is_realtime());
}

/* One after the other, as requests that a program makes come to the driver's threads. */
static void *work_in_turn(void *context)
{
	(void)context;
	crew_begin(&crew);
	bool *was_realtime = is_realtime() ? &crew_was_realtime : NULL;
	work(CREW_BUDGET_US);
	crew_end(&crew);
	return was_realtime;
}

static void threads_that_take_turns_share_the_budget(void **state)
{
	int realtime = 0;

	(void)state;
	need_realtime();
	crew_end(&crew);
	rest_ms(3 * CREW_WINDOW_MS);
	/* Of work for 8 windows, and as little as two of time where all are real-time ones. */
	for (int i = 0; i < 8; i++) {
		pthread_t thread;
		void *result;
		assert_int_equal(pthread_create(&thread, NULL, work_in_turn, NULL), 0);
		pthread_join(thread, &result);
		realtime += result != NULL;
	}
	assert_in_range(realtime, 1, 5);
}

static void publisher_rests_after_long_work_and_is_urgent_when_it_wakes(void **state)
{
	(void)state;
	need_realtime();
	crew_begin(&crew);
	work(CREW_BUDGET_US * 3);
	crew_rest(&crew);
	rest_ms(3 * CREW_WINDOW_MS);
	crew_begin(&crew);
	assert_true(is_realtime());
}

static void what_a_batch_takes_is_not_counted(void **state)
{
	(void)state;
	need_realtime();
	crew_batch(&crew);
	crew_begin(&crew);
	assert_false(is_realtime());
	work(CREW_BUDGET_US * 3);
	crew_begin(&crew);
	crew_rest(&crew);
	assert_true(is_realtime());
	crew_begin(&crew);
	assert_true(is_realtime());
}

static void thread_that_computes_too_long_is_ordinary_from_then_on(void **state)
{
	(void)state;
	need_realtime();
	crew_begin(&crew);
	assert_true(is_realtime());
	work(CREW_TURN_US * 10);
	assert_false(is_realtime());
}

#define crew_test(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		crew_test(thread_that_has_used_the_budget_is_ordinary_for_the_rest_of_the_window),
		crew_test(long_work_of_long_ago_is_not_counted_for_the_next),
		crew_test(threads_that_take_turns_share_the_budget),
		crew_test(publisher_rests_after_long_work_and_is_urgent_when_it_wakes),
		crew_test(what_a_batch_takes_is_not_counted),
		crew_test(thread_that_computes_too_long_is_ordinary_from_then_on),
	};

	if (crew_init(&crew, true) != 0)
		return 1;
	int failures = cmocka_run_group_tests(tests, NULL, NULL);
	crew_fini(&crew);
	return failures;
}
