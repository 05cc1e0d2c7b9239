/*
 * A program that a mirror runs: whatever it and its children do, the mirror waits for it no longer
 * than the given time.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "subprocess.h"
#include "test.h"

/* Milliseconds that a test may take which has nothing to wait for. */
#define SOON 20000

static struct subprocess child;

/* Runs the line in a shell, with so many seconds. */
static void start(const char *line, unsigned timeout_s)
{
	char *arguments[] = {"sh", "-c", (char *)(uintptr_t)line, NULL};
	const struct subprocess_options options = {.arguments = arguments,
		.environment = environ,
		.input = -1,
		.timeout_s = timeout_s};

	assert_int_equal(subprocess_start(&child, &options), 0);
}

TEST(who_holds_standard_error_is_not_waited_for)
{
	int64_t began = clock_ms();

	start("sleep 30 >/dev/null & echo said >&2; exit 3", 60);
	assert_int_equal(subprocess_end(&child), 3);
	assert_string_equal(child.error, "said");
	assert_true(clock_ms() - began < SOON);
	kill(-child.pid, SIGKILL);
}

TEST(who_closes_its_streams_and_goes_on_is_ended_in_time)
{
	int64_t began = clock_ms();

	start("exec >/dev/null 2>&1; exec sleep 30", 1);
	assert_int_equal(subprocess_end(&child), -ETIMEDOUT);
	assert_true(clock_ms() - began < SOON);
}

TEST(who_is_given_up_is_ended_at_once)
{
	int64_t began = clock_ms();
	char bytes[2];

	start("echo said >&2; exec yes", 60);
	assert_int_equal(subprocess_read_all(&child, bytes, sizeof(bytes)), 0);
	subprocess_give_up(&child);
	assert_int_equal(subprocess_end(&child), -ETIMEDOUT);
	assert_string_equal(child.error, "said");
	assert_true(clock_ms() - began < SOON);
}

TEST(what_is_said_to_the_end_is_taken)
{
	char bytes[4];

	start("echo out; echo err >&2", 60);
	assert_int_equal(subprocess_read_all(&child, bytes, sizeof(bytes)), 0);
	assert_memory_equal(bytes, "out\n", 4);
	assert_int_equal(subprocess_end(&child), 0);
	assert_string_equal(child.error, "err");
}

TEST(end_of_a_long_error_is_kept)
{
	start("head -c 5000 /dev/zero | tr '\\0' x >&2; sleep 0.1; printf 'the cause' >&2", 60);
	assert_int_equal(subprocess_end(&child), 0);
	assert_int_equal(child.error_len, SUBPROCESS_ERROR_MAX - 1);
	assert_string_equal(child.error + child.error_len - 10, "xthe cause");
}
