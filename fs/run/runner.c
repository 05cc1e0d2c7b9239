#include "runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "await.h"
#include "cleanup.h"
#include "coroutine.h"
#include "descriptor.h"
#include "helper.h"
#include "parcel.h"
#include "run_process.h"
#include "text.h"

/* It ends its programs, unless it is stopped. */
#define END_MS 1000

struct runner {
	int socket;
	struct coroutine *listening; /* NULL: not started, or it has ended */
	bool is_gone;
	uint64_t last_id;
	struct run *runs; /* that are not done */
};

int runner_new(const struct settings *settings, int kept, struct runner **ret)
{
	CLEANUP(runner_freep) struct runner *runner = calloc(1, sizeof(*runner));
	int ends[2];

	if (!runner)
		return -ENOMEM;
	runner->socket = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid_t pid = fork();
	if (pid == 0)
		run_process(settings, ends[1], kept);
	int r = pid < 0 ? -errno : 0;
	close(ends[1]);
	runner->socket = ends[0];
	if (r < 0)
		return r;
	helper_began(HELPER_RUN, pid);
	*ret = take_ptr(runner);
	return 0;
}

/* The run with that number, which is in the list no more; 0: any. NULL: none. */
static struct run *take_run(struct runner *runner, uint64_t id)
{
	struct run *run = NULL;

	for (struct run **at = &runner->runs; *at && !run; at = &(*at)->next)
		if (id == 0 || (*at)->id == id) {
			run = *at;
			*at = run->next;
			break;
		}
	return run;
}

static void end_all(struct runner *runner)
{
	const struct run_result gone = {.end = RUN_GONE};
	struct run *run;

	runner->is_gone = true;
	while ((run = take_run(runner, 0)))
		run->done(run, &gone);
}

static void listen_to(void *context)
{
	struct runner *runner = context;
	struct run_answer answer;

	for (;;) {
		if (await_fd(runner->socket, POLLIN, -1) < 0)
			break;
		ssize_t n = recv(runner->socket, &answer, sizeof(answer), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (n != sizeof(answer))
			continue;
		answer.result.output[RUN_OUTPUT_MAX - 1] = '\0';
		struct run *run = answer.id ? take_run(runner, answer.id) : NULL;
		if (run)
			run->done(run, &answer.result);
	}
	end_all(runner);
}

int runner_start(struct runner *runner)
{
	return coroutine_new(listen_to, runner, &runner->listening);
}

int runner_run(struct runner *runner, enum run_kind kind, const char *path, int fd, struct run *run)
{
	size_t len = strlen(path);
	struct run_request request = {.kind = kind};

	if (len >= sizeof(request.path))
		return -ENAMETOOLONG;
	memcpy(request.path, path, len + 1);
	/* Known before it can be answered. */
	int r = runner->is_gone ? -EPIPE : 0;
	if (r == 0) {
		request.id = run->id = ++runner->last_id;
		run->next = runner->runs;
		runner->runs = run;
	}
	if (r == 0)
		r = parcel_send(
			runner->socket, &request, offsetof(struct run_request, path) + len + 1, fd);
	/* If it is not there any more, it was told already that the process has gone. */
	return r < 0 && request.id && !take_run(runner, request.id) ? 0 : r;
}

void runner_reload(struct runner *runner)
{
	const struct run_request request = {.kind = RUN_RELOAD};

	parcel_send(runner->socket, &request, offsetof(struct run_request, path) + 1, -1);
}

void runner_reap(struct runner *runner)
{
	if (runner->is_gone)
		coroutine_join(take_ptr(runner->listening));
}

void runner_stop(struct runner *runner)
{
	if (runner->socket >= 0)
		shutdown(runner->socket, SHUT_RDWR);
	coroutine_join(take_ptr(runner->listening));
	end_all(runner);
}

void runner_free(struct runner *runner)
{
	if (!runner)
		return;
	runner_stop(runner);
	if (runner->socket >= 0)
		close(runner->socket);
	helper_end(HELPER_RUN, END_MS);
	free(runner);
}

void runner_freep(struct runner **runner)
{
	runner_free(*runner);
}

/* A run that a caller waits for. */
struct awaited_run {
	struct run run; /* first */
	struct run_result *result;
	struct coroutine_queue waiting;
	bool is_done;
};

static void wake(struct run *run, const struct run_result *result)
{
	struct awaited_run *awaited = (struct awaited_run *)run;

	*awaited->result = *result;
	awaited->is_done = true;
	coroutine_wake(&awaited->waiting);
}

void runner_wait(
	struct runner *runner, enum run_kind kind, const char *path, int fd, struct run_result *ret)
{
	struct awaited_run awaited = {.run.done = wake, .result = ret};

	int r = runner_run(runner, kind, path, fd, &awaited.run);
	if (r < 0) {
		*ret = (struct run_result){.end = RUN_GONE};
		return;
	}
	while (!awaited.is_done)
		coroutine_wait(&awaited.waiting, NULL);
}

int runner_file(const char *data, size_t size)
{
	CLEANUP(closep) int fd = memfd_create("plyfs", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	int r = text_write(fd, data, size);
	if (r < 0)
		return r;
	int kept = fd;
	fd = -1;
	return kept;
}

int runner_check(struct runner *runner, const struct settings *settings, const char *path,
	struct span bytes, const struct line_map *map, struct run_result *ret,
	struct problem *problem)
{
	const struct program *program = settings_check(settings, path);
	const struct run_subject subject = {path, "the check", program, map};
	char name[PROGRAM_NAME_MAX];
	const char *why;

	*ret = (struct run_result){.end = RUN_EXITED};
	if (!program)
		return 0;
	CLEANUP(closep) int fd = runner_file(bytes.data, bytes.len);
	if (fd < 0)
		return fd;
	runner_wait(runner, RUN_CHECK, path, fd, ret);
	if (run_is_good(ret))
		return 0;
	run_problem(ret, &subject, problem);
	return program->is_optional && run_is_missing(ret, program, name, &why) ? RUNNER_UNCHECKED
										: PROBLEM;
}
