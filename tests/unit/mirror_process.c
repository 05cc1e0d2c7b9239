/*
 * A mirror's process: what it has of the process that starts it. Instead of plyfs it runs a shell.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coroutine.h"
#include "mirror_process.h"
#include "test.h"

#define PATIENCE_MS 40000

static char directory[64];
static char home[128];

static int make_directory(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/plyfs-mirror-process.XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	/* Root's mirror is another user. */
	chmod(directory, 0755);
	snprintf(home, sizeof(home), "%s/home", directory);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	rmdir(home);
	return rmdir(directory);
}

static int open_program(void)
{
	return open("/bin/sh", O_PATH | O_CLOEXEC);
}

/* Starts it with the script; `text` becomes all that it writes. Returns its status. */
static int run(const char *script, const char *user, char *text, size_t size)
{
	const char *const words[] = {"-c", script, NULL};
	const struct store_spec store = {
		.kind = "etcd", .user = user, .base = directory, .home = home, .words = words};
	const struct sandbox_switches switches = {0};
	int program = open_program(), status = -1, log = -1;
	size_t len = 0;
	ssize_t n;

	pid_t pid = mirror_process_start(&(struct mirror_start){&store, &switches, program}, &log);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	while ((n = read(log, text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(log);
	close(program);
	return status;
}

/* Returns the user that the mirror can run as here. */
static const char *other_user(void)
{
	return geteuid() == 0 ? "nobody" : NULL;
}

struct start {
	char text[4096];
	int status;
};

static void run_in_coroutine(void *context)
{
	struct start *start = context;

	start->status =
		run("cd /proc/self/fd && echo *; grep -E '^Sig(Blk|Ign)' /proc/self/status; "
		    "echo secret ${SECRET-none}; pwd; umask; id -u",
			other_user(), start->text, sizeof(start->text));
}

static void pause_for_ever(void *context)
{
	coroutine_wait(context, NULL);
}

TEST_WITH(mirror_has_nothing_of_ours, make_directory, remove_directory)
{
	struct coroutine_queue queue = {0};
	struct coroutine *other, *starting;
	struct start start = {.status = -1};
	char expected[256];
	sigset_t blocked, old;
	/* Without O_CLOEXEC: an exec(2) does not close it. */
	int foreign = open("/dev/zero", O_RDONLY);

	setenv("SECRET", "ours", 1);
	signal(SIGUSR1, SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, &old);
	assert_int_equal(coroutine_new(pause_for_ever, &queue, &other), 0);
	assert_int_equal(coroutine_new(run_in_coroutine, &start, &starting), 0);
	coroutine_join(starting);
	coroutine_wake(&queue);
	coroutine_join(other);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGUSR1, SIG_DFL);
	unsetenv("SECRET");
	close(foreign);

	/* 3 is the shell's own, while it lists them. */
	snprintf(expected, sizeof(expected),
		"0 1 2 3\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nsecret "
		"none\n/proc/self/fd\n0022\n");
	assert_int_equal(strncmp(start.text, expected, strlen(expected)), 0);
	assert_true(WIFEXITED(start.status) && WEXITSTATUS(start.status) == 0);
	if (geteuid() == 0)
		assert_string_not_equal(start.text + strlen(expected), "0\n");
}

TEST_WITH(mirror_of_an_unknown_user_is_not_started, make_directory, remove_directory)
{
	char text[4096];

	int status = run("echo started", "nobody-of-that-name", text, sizeof(text));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), MIRROR_NOT_STARTED);
	assert_non_null(strstr(text, "there is no user 'nobody-of-that-name'"));
}

TEST_WITH(mask_of_root_keeps_the_mirror_out_of_no_directory, make_directory, remove_directory)
{
	struct mirror_identity identity = {.uid = geteuid(), .gid = getegid()};
	struct problem problem;
	char base[128], sub[128];
	struct stat stats;

	snprintf(base, sizeof(base), "%s/base", directory);
	snprintf(sub, sizeof(sub), "%s/base/sub", directory);
	snprintf(home, sizeof(home), "%s/base/sub/home", directory);
	const struct store_spec store = {.base = sub, .home = home};
	mode_t mask = umask(077);
	assert_int_equal(mirror_process_prepare(&store, &identity, &problem), 0);
	/* The mask itself stays. */
	assert_int_equal(umask(mask), 077);
	assert_int_equal(stat(base, &stats), 0);
	assert_int_equal(stats.st_mode & 07777, geteuid() == 0 ? 0755 : 0700);
	assert_int_equal(stat(sub, &stats), 0);
	assert_int_equal(stats.st_mode & 07777, geteuid() == 0 ? 0755 : 0700);

	/* Those that an earlier run has made are opened, unless they are the user's own. */
	for (int is_default = 0; is_default <= 1; is_default++) {
		const struct store_spec again = {
			.base = sub, .home = home, .system = is_default ? "/default" : NULL};
		mode_t mode = is_default && geteuid() == 0 ? 0755 : 0700;

		chmod(base, 0700);
		chmod(sub, 0700);
		assert_int_equal(mirror_process_prepare(&again, &identity, &problem), 0);
		assert_int_equal(stat(base, &stats), 0);
		assert_int_equal(stats.st_mode & 07777, mode);
		assert_int_equal(stat(sub, &stats), 0);
		assert_int_equal(stats.st_mode & 07777, mode);
	}
	rmdir(home);
	rmdir(sub);
	rmdir(base);
}

/* The process that starts a mirror, and ends. */
static void start_and_end(int out)
{
	const char *const words[] = {"-c", "sleep 60", NULL};
	const struct store_spec store = {.kind = "etcd",
		.user = other_user(),
		.base = directory,
		.home = home,
		.words = words};
	const struct sandbox_switches switches = {0};
	int log;

	pid_t pid = mirror_process_start(
		&(struct mirror_start){&store, &switches, open_program()}, &log);
	(void)!write(out, &pid, sizeof(pid));
	/* It is the shell by now, and has lost the right to be another user. */
	while (pid > 0 && access(home, F_OK) < 0)
		poll(NULL, 0, 1);
	poll(NULL, 0, 100);
	_exit(0);
}

TEST_WITH(mirror_ends_with_the_process_that_started_it, make_directory, remove_directory)
{
	int ends[2];
	pid_t pid, mirror = 0;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0)
		start_and_end(ends[1]);
	assert_int_equal(read(ends[0], &mirror, sizeof(mirror)), sizeof(mirror));
	assert_true(mirror > 0);
	struct pollfd ended = {.fd = pidfd_open(mirror, 0), .events = POLLIN};
	assert_true(ended.fd >= 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(poll(&ended, 1, PATIENCE_MS), 1);
	close(ended.fd);
	close(ends[0]);
	close(ends[1]);
}
