/*
 * Helpers: processes that their parent can't end without.
 */
#include <assert.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helper.h"
#include "test.h"

/* Whether helpers that are busy go on. Shared with them. */
static volatile bool *are_released;

__attribute__((constructor)) static void share_release(void)
{
	are_released = mmap(NULL, sizeof(*are_released), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(are_released != MAP_FAILED);
}

/* It can't stop before its child has ended (vfork(2)), as if it waited for a disk. */
static void be_busy(void)
{
	pid_t child = vfork();

	if (child == 0) {
		while (!*are_released)
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static char state_of(pid_t pid)
{
	char path[64], line[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	const char *end = strrchr(line, ')');
	assert_non_null(end);
	return end[2];
}

/* Starts a helper that is busy until it is released, and then ends. */
static pid_t start_busy(void)
{
	*are_released = false;
	pid_t pid = fork();

	if (pid == 0) {
		be_busy();
		_exit(0);
	}
	assert_true(pid > 0);
	helper_began(HELPER_STATE, pid);
	for (int i = 0; i < 20000 && state_of(pid) != 'D'; i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return pid;
}

TEST(a_helper_that_is_about_to_stop_goes_on)
{
	int status;
	pid_t pid = start_busy();

	kill(pid, SIGSTOP);
	assert_int_equal(helper_state(HELPER_STATE), HELPER_RUNS);
	helper_wake();
	*are_released = true;
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_false(WIFSTOPPED(status));
	helper_end(HELPER_STATE, 0);
}

TEST(a_helper_that_has_stopped_goes_on)
{
	int status;
	pid_t pid = start_busy();

	kill(pid, SIGSTOP);
	*are_released = true;
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WSTOPPED | WNOWAIT), 0);
	assert_int_equal(helper_state(HELPER_STATE), HELPER_STOPPED);
	helper_wake();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	helper_end(HELPER_STATE, 0);
}

/* As in a process that has no descriptor left. Returns the limit as it was. */
static struct rlimit use_up_descriptors(void)
{
	struct rlimit limit;
	int next = dup(STDIN_FILENO);

	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)next, limit.rlim_max}), 0);
	return limit;
}

TEST(a_helper_of_which_the_parent_has_no_descriptor_is_ended_in_time)
{
	struct timespec began, ended;
	pid_t pid = fork();

	if (pid == 0) {
		nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
		_exit(0);
	}
	struct rlimit limit = use_up_descriptors();
	helper_began(HELPER_STATE, pid);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(helper_fd(HELPER_STATE), -1);
	clock_gettime(CLOCK_MONOTONIC, &began);
	helper_end(HELPER_STATE, 60000);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	assert_true(ended.tv_sec - began.tv_sec < 30);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
}

TEST(a_helper_begins_although_its_parent_has_no_descriptor_left)
{
	char byte = 0;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	struct rlimit limit = use_up_descriptors();
	pid_t pid = fork();
	if (pid == 0) {
		int socket = helper_begin(HELPER_STATE, ends[1], -1);
		_exit(send(socket, "y", 1, 0) != 1);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	close(ends[1]);
	assert_int_equal(recv(ends[0], &byte, 1, 0), 1);
	assert_int_equal(byte, 'y');
	close(ends[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}
