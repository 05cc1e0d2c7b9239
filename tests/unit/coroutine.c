/* Coroutines run by turns, and each waits for descriptors, time or another one. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aside.h"
#include "await.h"
#include "backoff.h"
#include "coroutine.h"
#include "test.h"

static char said[256];

static void say(const char *word)
{
	strcat(said, word);
}

static int set_up(void **state)
{
	(void)state;
	said[0] = '\0';
	return 0;
}

static void speak_twice(void *context)
{
	const char *word = context;

	say(word);
	await_pause_us(0);
	say(word);
}

TEST_WITH(coroutine_runs_until_it_waits, set_up, NULL)
{
	struct coroutine *a, *b;

	assert_int_equal(coroutine_new(speak_twice, "a", &a), 0);
	assert_int_equal(coroutine_new(speak_twice, "b", &b), 0);
	assert_string_equal(said, "");
	coroutine_join(a);
	coroutine_join(b);
	assert_memory_equal(said, "ab", 2);
	assert_int_equal(strlen(said), 4);
}

struct reader {
	int fd;
	const char *word;
	struct coroutine_queue *queue;
};

static void read_one(void *context)
{
	const struct reader *reader = context;
	struct pollfd polled = {.fd = reader->fd, .events = POLLIN};
	char byte;

	if (coroutine_poll(&polled, 1, NULL, reader->queue) > 0 && read(reader->fd, &byte, 1) == 1)
		say(reader->word);
}

TEST_WITH(coroutine_gets_the_descriptor_that_it_waits_for, set_up, NULL)
{
	struct coroutine *a, *b;
	int one[2], other[2];

	assert_int_equal(pipe(one), 0);
	assert_int_equal(pipe(other), 0);
	assert_int_equal(coroutine_new(read_one, &(struct reader){one[0], "one", NULL}, &a), 0);
	assert_int_equal(coroutine_new(read_one, &(struct reader){other[0], "other", NULL}, &b), 0);
	await_pause_us(1000);
	assert_string_equal(said, "");
	assert_int_equal(write(other[1], "x", 1), 1);
	coroutine_join(b);
	assert_string_equal(said, "other");
	assert_int_equal(write(one[1], "x", 1), 1);
	coroutine_join(a);
	assert_string_equal(said, "otherone");
}

TEST_WITH(first_of_a_queue_gets_the_descriptor, set_up, NULL)
{
	struct coroutine_queue queue = {0};
	struct coroutine *a, *b;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(coroutine_new(read_one, &(struct reader){ends[0], "a", &queue}, &a), 0);
	assert_int_equal(coroutine_new(read_one, &(struct reader){ends[0], "b", &queue}, &b), 0);
	await_pause_us(0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	await_pause_us(1000);
	assert_string_equal(said, "a");
	coroutine_wake_all(&queue);
	coroutine_join(a);
	coroutine_join(b);
	assert_string_equal(said, "a");
}

static void wait_in(void *context)
{
	coroutine_wait(context, NULL);
	say("woken");
}

TEST_WITH(coroutine_is_woken_once, set_up, NULL)
{
	struct coroutine_queue queue = {0};
	struct coroutine *a, *b;

	assert_int_equal(coroutine_new(wait_in, &queue, &a), 0);
	assert_int_equal(coroutine_new(wait_in, &queue, &b), 0);
	await_pause_us(0);
	coroutine_wake(&queue);
	await_pause_us(1000);
	assert_string_equal(said, "woken");
	coroutine_wake(&queue);
	coroutine_join(a);
	coroutine_join(b);
	assert_null(queue.first);
}

struct game {
	struct coroutine_queue queues[2];
	unsigned turns, most;
	bool is_over;
};

/* Wakes the other player, and waits for its turn. */
static void play(struct game *game, unsigned player)
{
	while (!game->is_over && game->turns < game->most) {
		game->turns++;
		coroutine_wake(&game->queues[!player]);
		coroutine_wait(&game->queues[player], NULL);
	}
	coroutine_wake(&game->queues[!player]);
}

static void play_first(void *context)
{
	play(context, 0);
}

static void play_second(void *context)
{
	play(context, 1);
}

TEST_WITH(coroutines_that_wake_each_other_hold_up_no_other, set_up, NULL)
{
	struct game game = {.most = 1000000};
	struct coroutine *first, *second, *reader;
	struct coroutine *sleeper;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(coroutine_new(play_first, &game, &first), 0);
	assert_int_equal(coroutine_new(play_second, &game, &second), 0);
	assert_int_equal(
		coroutine_new(read_one, &(struct reader){ends[0], "read", NULL}, &reader), 0);
	assert_int_equal(coroutine_new(speak_twice, "slept", &sleeper), 0);
	coroutine_join(reader);
	coroutine_join(sleeper);
	assert_in_range(game.turns, 1, 10000);
	assert_non_null(strstr(said, "read"));
	game.is_over = true;
	coroutine_join(first);
	coroutine_join(second);
	close(ends[0]);
	close(ends[1]);
}

/* The sanitizer knows the frames of a stack. A mapping that takes its place is not one. */
TEST(what_is_mapped_where_a_stack_was_can_be_read)
{
	const size_t size = (size_t)16 << 20;
	struct coroutine *coroutine;
	volatile unsigned sum = 0;

	assert_int_equal(coroutine_new(speak_twice, "a", &coroutine), 0);
	coroutine_join(coroutine);
	unsigned char *bytes =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(bytes, MAP_FAILED);
	for (size_t i = 0; i < size; i++)
		sum += bytes[i];
	assert_int_equal(sum, 0);
	munmap(bytes, size);
}

TEST_WITH(wait_ends_when_its_time_is_over, set_up, NULL)
{
	struct coroutine_queue queue = {0};
	struct coroutine *other;
	struct timespec until, now;

	assert_int_equal(coroutine_new(wait_in, &queue, &other), 0);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	struct coroutine_queue mine = {0};
	coroutine_wait(&mine, &until);
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_true(now.tv_sec > until.tv_sec ||
		    (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
	assert_null(mine.first);
	coroutine_wake(&queue);
	coroutine_join(other);
}

TEST_WITH(first_of_a_queue_is_woken_at_the_time, set_up, NULL)
{
	struct coroutine_queue queue = {0};
	struct coroutine *a, *b;
	struct timespec soon;

	assert_int_equal(coroutine_new(wait_in, &queue, &a), 0);
	assert_int_equal(coroutine_new(wait_in, &queue, &b), 0);
	clock_gettime(CLOCK_MONOTONIC, &soon);
	soon.tv_nsec += soon.tv_nsec < 900000000 ? 20000000 : 0;
	coroutine_wake_at(&queue, &soon);
	await_pause_us(100000);
	assert_string_equal(said, "woken");
	coroutine_wake_at(&queue, &soon);
	coroutine_wake_at(&queue, NULL);
	await_pause_us(1000);
	assert_string_equal(said, "woken");
	coroutine_wake(&queue);
	coroutine_join(a);
	coroutine_join(b);
}

static int own;

static void change_own(void *context)
{
	(void)context;
	assert_int_equal(own, 0);
	own = 2;
	await_pause_us(1000);
	assert_int_equal(own, 2);
	say("kept");
}

TEST_WITH(each_coroutine_has_a_value_of_its_own, set_up, NULL)
{
	struct coroutine *other;

	coroutine_keeps(&own);
	own = 1;
	assert_int_equal(coroutine_new(change_own, NULL, &other), 0);
	await_pause_us(0);
	assert_int_equal(own, 1);
	coroutine_join(other);
	assert_int_equal(own, 1);
	assert_string_equal(said, "kept");
	coroutine_keeps(NULL);
}

static void on_signal(int number)
{
	(void)number;
	say("!");
}

TEST_WITH(signal_ends_the_wait_of_the_root_alone, set_up, NULL)
{
	const struct sigaction action = {.sa_handler = on_signal};
	struct coroutine_queue queue = {0}, mine = {0};
	struct coroutine *other;
	sigset_t blocked, waiting;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &blocked, &waiting);
	sigaction(SIGALRM, &action, NULL);
	assert_int_equal(coroutine_new(wait_in, &queue, &other), 0);
	coroutine_mask(&waiting);
	raise(SIGALRM);
	assert_string_equal(said, "");
	assert_int_equal(coroutine_poll(NULL, 0, NULL, &mine), -1);
	assert_int_equal(errno, EINTR);
	assert_string_equal(said, "!");
	coroutine_mask(NULL);
	coroutine_wake(&queue);
	coroutine_join(other);
	assert_string_equal(said, "!woken");
	pthread_sigmask(SIG_SETMASK, &waiting, NULL);
}

static void call_aside(void *context)
{
	const int *ends = context;
	char byte;

	/* It would wait for ever, if the other coroutine did not run meanwhile. */
	assert_int_equal(read(ends[0], &byte, 1), 1);
	say("aside");
}

static void run_aside(void *context)
{
	aside_run(call_aside, context);
	say(" over");
}

static void write_one(void *context)
{
	const int *ends = context;

	assert_true(aside_is_running());
	assert_int_equal(write(ends[1], "x", 1), 1);
}

TEST_WITH(others_run_while_a_call_aside_stands_still, set_up, NULL)
{
	struct coroutine *caller, *writer;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(coroutine_new(run_aside, ends, &caller), 0);
	assert_int_equal(coroutine_new(write_one, ends, &writer), 0);
	coroutine_join(writer);
	coroutine_join(caller);
	assert_string_equal(said, "aside over");
	assert_false(aside_is_running());
}

static void say_so(void *context)
{
	say(context);
}

TEST_WITH(without_other_coroutines_the_caller_makes_the_call, set_up, NULL)
{
	aside_run(say_so, "here");
	assert_string_equal(said, "here");
}

/* More than the stack of a coroutine. */
static unsigned use_stack(unsigned depth)
{
	volatile char room[1 << 16];

	room[0] = (char)depth;
	return depth ? use_stack(depth - 1) + (unsigned)room[0] : 0;
}

static void end_process(void *context)
{
	(void)context;
	/* It would go on with the other one, if it had it. */
	await_pause_us(1000);
	sigset_t blocked;
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	_exit(said[0] || use_stack(64) == 1 || !sigismember(&blocked, SIGTERM));
}

static void fork_process(void *context)
{
	pid_t *pid = context;

	*pid = coroutine_fork(end_process, NULL);
}

TEST_WITH(forked_process_has_no_coroutines_no_signals_and_a_large_stack, set_up, NULL)
{
	struct coroutine_queue queue = {0};
	struct coroutine *other, *forking;
	int status;
	pid_t pid;

	assert_int_equal(coroutine_new(fork_process, &pid, &forking), 0);
	assert_int_equal(coroutine_new(wait_in, &queue, &other), 0);
	coroutine_join(forking);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	coroutine_wake(&queue);
	coroutine_join(other);
}

TEST(pauses_of_a_back_off_double_up_to_the_limit)
{
	const struct backoff backoff = {500, 3000};
	const unsigned pauses[] = {500, 1000, 2000, 3000, 3000};

	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(backoff_pause(&backoff, i), pauses[i]);
	assert_int_equal(backoff_pause(&backoff, UINT_MAX), 3000);
}
