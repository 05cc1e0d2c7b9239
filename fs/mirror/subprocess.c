#include "subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"
#include "forked.h"

/* Runs the program, in the new process. */
static void become(const struct subprocess_options *options, int out, int err, pid_t parent)
{
	sigset_t none;
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* A change of credentials clears what prctl(2) sets, so it comes first. */
	if (options->as && credentials_become(options->as) < 0)
		_exit(127);
	if (!forked_dies_with(parent))
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setsid();
	if (dup2(options->input >= 0 ? options->input : nothing, STDIN_FILENO) < 0 ||
		dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(127);
	execvpe(options->arguments[0], options->arguments, options->environment);
	const char *why = strerror(errno);
	(void)!write(STDERR_FILENO, why, strlen(why));
	_exit(127);
}

int subprocess_start(struct subprocess *child, const struct subprocess_options *options)
{
	int out[2], err[2];
	pid_t parent = getpid();

	if (pipe2(out, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(err, O_CLOEXEC) < 0) {
		int r = -errno;
		close(out[0]);
		close(out[1]);
		return r;
	}
	child->pid = fork();
	if (child->pid == 0)
		become(options, out[1], err[1], parent);
	int r = child->pid < 0 ? -errno : 0;
	close(out[1]);
	close(err[1]);
	if (r < 0) {
		close(out[0]);
		close(err[0]);
		return r;
	}
	child->out = out[0];
	child->err = err[0];
	child->error_len = child->begin = child->end = 0;
	child->deadline = clock_ms() + (int64_t)options->timeout_s * 1000;
	return 0;
}

static void take_error(struct subprocess *child)
{
	char text[4096];
	ssize_t n = read(child->err, text, sizeof(text));
	size_t max = sizeof(child->error) - 1;

	if (n <= 0) {
		if (n < 0 && errno == EINTR)
			return;
		closep(&child->err);
		return;
	}
	size_t len = (size_t)n < max ? (size_t)n : max;
	size_t kept = child->error_len < max - len ? child->error_len : max - len;
	memmove(child->error, child->error + child->error_len - kept, kept);
	memcpy(child->error + kept, text + n - len, len);
	child->error_len = kept + len;
}

/* Waits for output, and reads standard error meanwhile. Returns 0 or -errno. */
static int wait_for_output(struct subprocess *child)
{
	for (;;) {
		struct pollfd fds[2] = {
			{.fd = child->out, .events = POLLIN}, {.fd = child->err, .events = POLLIN}};
		int64_t now = clock_ms();

		if (now >= child->deadline)
			return -ETIMEDOUT;
		int n = poll(fds, 2, (int)(child->deadline - now));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && fds[1].revents)
			take_error(child);
		if (n > 0 && fds[0].revents)
			return 0;
	}
}

static ssize_t fill(struct subprocess *child)
{
	ssize_t n;

	int r = wait_for_output(child);
	if (r < 0)
		return r;
	do
		n = read(child->out, child->buffer, sizeof(child->buffer));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	child->begin = 0;
	child->end = (size_t)n;
	return n;
}

/* Waits for standard output, and reads up to `len` bytes. Returns their number, 0 or -errno. */
static ssize_t read_some(struct subprocess *child, char *bytes, size_t len)
{
	if (child->begin == child->end) {
		ssize_t n = fill(child);
		if (n <= 0)
			return n;
	}
	size_t there = child->end - child->begin;
	size_t taken = len < there ? len : there;
	if (bytes)
		memcpy(bytes, child->buffer + child->begin, taken);
	child->begin += taken;
	return (ssize_t)taken;
}

int subprocess_read_all(struct subprocess *child, char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = read_some(child, bytes, len);

		if (n <= 0)
			return n < 0 ? (int)n : -ENODATA;
		bytes = bytes ? bytes + n : NULL;
		len -= (size_t)n;
	}
	return 0;
}

int subprocess_read_until(
	struct subprocess *child, char end, char *text, size_t size, size_t *ret_len)
{
	size_t len = 0;

	for (char c;; text[len++] = c) {
		ssize_t n = read_some(child, &c, 1);

		if (n <= 0)
			return n < 0 ? (int)n : -ENODATA;
		if (c == end)
			break;
		if (len + 1 >= size)
			return -EMSGSIZE;
	}
	text[len] = '\0';
	*ret_len = len;
	return 0;
}

int subprocess_read_cut(struct subprocess *child, char end, char *text, size_t size)
{
	char rest[4096];
	size_t len;

	int r = subprocess_read_until(child, end, text, size, &len);
	if (r != -EMSGSIZE)
		return r;
	text[size - 1] = '\0';
	while (r == -EMSGSIZE)
		r = subprocess_read_until(child, end, rest, sizeof(rest), &len);
	return r;
}

void subprocess_give_up(struct subprocess *child)
{
	child->deadline = 0;
}

/*
 * Waits until the program has ended, and reads standard error meanwhile. It does not wait for the
 * end of standard error: a process that the program has started, such as ssh's master connection,
 * may keep it open. Returns 0 or -errno.
 */
static int wait_for_end(struct subprocess *child)
{
	CLEANUP(closep) int process = (int)syscall(SYS_pidfd_open, child->pid, 0);

	/* Without pidfd_open(2): a program that has closed its output ends. */
	if (process < 0)
		return 0;
	for (;;) {
		struct pollfd fds[2] = {
			{.fd = process, .events = POLLIN}, {.fd = child->err, .events = POLLIN}};
		int64_t now = clock_ms();
		bool is_late = now >= child->deadline;

		int n = poll(fds, 2, is_late ? 0 : (int)(child->deadline - now));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && fds[1].revents && !is_late)
			take_error(child);
		else if (n > 0 && fds[0].revents)
			return 0;
		else if (is_late)
			return -ETIMEDOUT;
	}
}

int subprocess_end(struct subprocess *child)
{
	ssize_t n = 1;
	int status = 0;

	while (n > 0)
		n = fill(child);
	if (n == 0)
		n = wait_for_end(child);
	if (n < 0) {
		struct pollfd last = {.fd = child->err, .events = POLLIN};

		if (child->err >= 0 && poll(&last, 1, 0) > 0)
			take_error(child);
		/* The signal also reaches all processes that the program has started. */
		(void)kill(-child->pid, SIGKILL);
	}
	close(child->out);
	closep(&child->err);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
	}
	while (child->error_len && strchr("\r\n ", child->error[child->error_len - 1]))
		child->error_len--;
	child->error[child->error_len] = '\0';
	for (char *at = child->error; (at = strpbrk(at, "\r\n")); at++)
		*at = ' ';
	if (n < 0)
		return (int)n;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}
