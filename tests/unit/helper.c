/*
 * Helpers: processes that their parent can't end without.
 */
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helper.h"
#include "test.h"

#define BUSY_MS 300

/* It can't stop before its child has ended (vfork(2)), as if it waited for a disk. */
static void be_busy(void)
{
	pid_t child = vfork();

	if (child == 0) {
		nanosleep(&(struct timespec){.tv_nsec = BUSY_MS * 1000000L}, NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* Starts a helper that is busy, and ends after it. */
static pid_t start_busy(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		be_busy();
		_exit(0);
	}
	assert_true(pid > 0);
	helper_began(HELPER_STATE, pid);
	nanosleep(&(struct timespec){.tv_nsec = BUSY_MS * 1000000L / 3}, NULL);
	return pid;
}

TEST(a_helper_that_is_about_to_stop_goes_on)
{
	int status;
	pid_t pid = start_busy();

	kill(pid, SIGSTOP);
	assert_int_equal(helper_state(HELPER_STATE), HELPER_RUNS);
	helper_wake();
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_false(WIFSTOPPED(status));
	helper_end(HELPER_STATE, 0);
}

TEST(a_helper_that_has_stopped_goes_on)
{
	int status;
	pid_t pid = start_busy();

	kill(pid, SIGSTOP);
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WSTOPPED | WNOWAIT), 0);
	assert_int_equal(helper_state(HELPER_STATE), HELPER_STOPPED);
	helper_wake();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	helper_end(HELPER_STATE, 0);
}
