#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "await.h"
#include "cleanup.h"
#include "descriptor.h"
#include "forked.h"
#include "text.h"

/* Greatest output in bytes: a status, and its result behind it. */
#define OUTPUT_MAX ((size_t)64 << 20)

/* A child that has written everything ends at once; a killed one may not. */
#define REAP_MS 50

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Runs the call. Its result follows its output; if it is missing, the child has failed. */
__attribute__((noreturn)) static void run(probe_call *call, void *context, int out, pid_t parent)
{
	await_use(NULL);
	/* A command's standard streams may be closed. */
	if (out <= STDERR_FILENO)
		out = fcntl(out, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (out < 0)
		_exit(1);
	/* There may be no /dev. */
	if (forked_keep_only(-1, &out, 1) < 0)
		(void)close_range(STDIN_FILENO, STDERR_FILENO, 0);
	/* A terminal's signals are for the caller, whose time goes on. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	if (!forked_dies_with(parent))
		_exit(1);
	int r = call(context, out);
	_exit(text_write(out, (const char *)&r, sizeof(r)) < 0);
}

void probe_start(struct probe *probe, unsigned limit_ms, probe_call *call, void *context)
{
	pid_t parent = getpid();
	int ends[2];

	*probe = (struct probe){.fd = -1, .deadline_ms = now_ms() + limit_ms};
	if (pipe2(ends, O_CLOEXEC) < 0) {
		probe->error = -errno;
		return;
	}
	probe->pid = fork();
	if (probe->pid == 0)
		run(call, context, ends[1], parent);
	probe->error = probe->pid < 0 ? -errno : 0;
	close(ends[1]);
	if (probe->pid > 0)
		probe->fd = ends[0];
	else
		close(ends[0]);
}

/* Reads the output to its end. Returns 0, -ETIMEDOUT, -EFBIG or another -errno. */
static int take_output(const struct probe *probe, char **text, size_t *len)
{
	size_t capacity = 0;

	for (;;) {
		struct pollfd readable = {.fd = probe->fd, .events = POLLIN};
		int64_t left_ms = probe->deadline_ms - now_ms();
		int n = await_ms(&readable, 1, left_ms > 0 ? (int)left_ms : 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ETIMEDOUT;
		if (*len + 1 >= capacity) {
			capacity = capacity ? capacity * 2 : 4096;
			char *moved = capacity > OUTPUT_MAX ? NULL : realloc(*text, capacity);
			if (!moved)
				return capacity > OUTPUT_MAX ? -EFBIG : -ENOMEM;
			*text = moved;
		}
		ssize_t got = read(probe->fd, *text + *len, capacity - *len - 1);
		if (got == 0)
			return 0;
		if (got < 0 && errno != EINTR)
			return -errno;
		*len += got > 0 ? (size_t)got : 0;
	}
}

int probe_end(struct probe *probe, char **ret, size_t *ret_len)
{
	CLEANUP(freep) char *text = NULL;
	size_t len = 0;
	int result;

	if (probe->fd < 0)
		return probe->error;
	int r = take_output(probe, &text, &len);
	closep(&probe->fd);
	if (r < 0)
		kill(probe->pid, SIGKILL);
	(void)forked_await(probe->pid, -1, REAP_MS);
	if (r < 0)
		return r;
	if (len < sizeof(result))
		return -EIO;
	len -= sizeof(result);
	memcpy(&result, text + len, sizeof(result));
	text[len] = '\0';
	if (result < 0)
		return result;
	if (ret_len)
		*ret_len = len;
	if (ret)
		*ret = take_ptr(text);
	return 0;
}

int probe_run(unsigned limit_ms, probe_call *call, void *context, char **ret, size_t *ret_len)
{
	struct probe probe;

	probe_start(&probe, limit_ms, call, context);
	return probe_end(&probe, ret, ret_len);
}

static int write_real_path(void *context, int out)
{
	char *real = realpath(context, NULL);

	return real ? text_write(out, real, strlen(real)) : -errno;
}

int probe_real_path(unsigned limit_ms, const char *path, char **ret)
{
	return probe_run(limit_ms, write_real_path, (void *)(uintptr_t)path, ret, NULL);
}
