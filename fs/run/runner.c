#include "runner.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "aside.h"
#include "cleanup.h"
#include "clock.h"
#include "coroutine.h"
#include "descriptor.h"
#include "helper.h"
#include "slice.h"
#include "text.h"

/* ms. A guard that has not ended this long after its command's time limit is stopped, or hangs. */
#define LATE_MS 3000

/* ms that runner_free() waits for a guard, which kills its command in less time. */
#define END_MS 3000

static_assert(HELPER_GUARDS == RUN_KINDS * RUN_SLOTS, "each guard is a helper");

/* A command that runs. */
struct slot {
	struct run *run;     /* NULL: none, or runner_stop() has ended it */
	int socket;          /* to the guard; -1: the slot is free */
	int64_t deadline_ms; /* CLOCK_MONOTONIC: when a guard that has not ended gets a signal */
	unsigned signals;
};

struct runner {
	struct run_origin origin;
	struct slot slots[HELPER_GUARDS];
	struct coroutine *watching; /* NULL: not started, or it has ended */
	struct coroutine_queue changed;
	bool is_stopped;
};

int runner_new(struct runner **ret)
{
	CLEANUP(runner_freep) struct runner *runner = calloc(1, sizeof(*runner));
	const char *language = getenv("LANG");

	if (!runner)
		return -ENOMEM;
	for (size_t i = 0; i < HELPER_GUARDS; i++)
		runner->slots[i].socket = -1;
	if (text_format(&runner->origin.language, "LANG=%s", language ? language : "C.UTF-8") < 0)
		return -ENOMEM;
	getrlimit(RLIMIT_NOFILE, &runner->origin.files);
	runner->origin.slice_ns = slice_get();
	*ret = take_ptr(runner);
	return 0;
}

static enum helper_kind helper_of(const struct runner *runner, const struct slot *slot)
{
	return HELPER_GUARD + (enum helper_kind)(slot - runner->slots);
}

/* Passes on the result of a guard that has ended, and frees its slot. */
static void finish(struct runner *runner, struct slot *slot)
{
	struct run_result result = {.end = RUN_GONE}, sent;
	unsigned count = 0;

	for (; recv(slot->socket, &sent, sizeof(sent), MSG_DONTWAIT) == sizeof(sent); count++)
		result = sent;
	helper_end(helper_of(runner, slot), 0);
	/* The guard was killed. Its workspace has a copy of the file, which may be a secret. */
	if (count < GUARD_MESSAGES)
		aside_run(workspace_remove, result.workspace);
	struct run *run = take_ptr(slot->run);
	closep(&slot->socket);
	/* From here on the slot may be another run's. */
	if (run)
		run->done(run, &result);
}

/* Sends the next signal to a guard that is late. Returns the time until one more is due. */
static int64_t hurry(const struct runner *runner, struct slot *slot)
{
	static const int signals[] = {SIGCONT, SIGKILL};
	int64_t left_ms = slot->deadline_ms - clock_ms();

	if (left_ms > 0 || slot->signals == sizeof(signals) / sizeof(*signals))
		return left_ms > 0 ? left_ms : INT64_MAX;
	kill(helper_pid(helper_of(runner, slot)), signals[slot->signals++]);
	slot->deadline_ms = clock_ms() + LATE_MS;
	return LATE_MS;
}

/* Returns the descriptor that shows the end of the guard: its pidfd, or without one the socket. */
static struct pollfd end_of(const struct runner *runner, const struct slot *slot)
{
	int fd = helper_fd(helper_of(runner, slot));

	return slot->socket < 0 ? (struct pollfd){.fd = -1}
	       : fd < 0         ? (struct pollfd){.fd = slot->socket}
				: (struct pollfd){.fd = fd, .events = POLLIN};
}

static void watch(void *context)
{
	struct runner *runner = context;

	while (!runner->is_stopped) {
		struct pollfd ends[HELPER_GUARDS];
		int64_t least_ms = INT64_MAX;

		for (size_t i = 0; i < HELPER_GUARDS; i++) {
			struct slot *slot = &runner->slots[i];
			int64_t left_ms = slot->socket < 0 ? INT64_MAX : hurry(runner, slot);

			ends[i] = end_of(runner, slot);
			least_ms = left_ms < least_ms ? left_ms : least_ms;
		}
		const struct timespec left = {least_ms / 1000, least_ms % 1000 * 1000000};
		coroutine_poll(ends, HELPER_GUARDS, least_ms == INT64_MAX ? NULL : &left,
			&runner->changed);
		for (size_t i = 0; i < HELPER_GUARDS; i++)
			if (ends[i].revents)
				finish(runner, &runner->slots[i]);
	}
}

static struct slot *free_slot(struct runner *runner, enum run_kind kind)
{
	struct slot *slots = &runner->slots[kind * RUN_SLOTS];

	for (size_t i = 0; i < RUN_SLOTS; i++)
		if (slots[i].socket < 0)
			return &slots[i];
	return NULL;
}

/* The arguments of begin(), in the new guard. */
struct new_guard {
	const struct run_command *command;
	int socket;
};

static void begin(void *context)
{
	const struct new_guard *guard = context;

	guard_run(guard->command, guard->socket);
}

/* Makes the guard kill its command, and end. SIGCONT: the guard may be stopped. */
static void cancel(const struct runner *runner, const struct slot *slot)
{
	pid_t guard = helper_pid(helper_of(runner, slot));

	if (slot->socket >= 0)
		(void)shutdown(slot->socket, SHUT_RDWR);
	if (guard)
		kill(guard, SIGCONT);
}

static int start(struct runner *runner, struct slot *slot, const struct run_command *command)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	struct new_guard guard = {command, ends[1]};
	slot->socket = ends[0];
	slot->deadline_ms = clock_ms() + command->program->timeout_ms + LATE_MS;
	slot->signals = 0;
	pid_t pid = coroutine_fork(begin, &guard);
	close(ends[1]);
	if (pid < 0)
		return pid;
	helper_began(helper_of(runner, slot), pid);
	return 0;
}

int runner_run(struct runner *runner, enum run_kind kind, const struct program *program,
	const char *path, int fd, struct run *run)
{
	if (!runner || runner->is_stopped)
		return -ECANCELED;
	struct slot *slot = free_slot(runner, kind);
	if (!slot)
		return -EBUSY;
	const struct run_command command = {kind, program, path, fd, &runner->origin};
	int r = runner->watching ? 0 : coroutine_new(watch, runner, &runner->watching);
	if (r < 0)
		return r;
	slot->run = run;
	r = start(runner, slot, &command);
	if (r < 0) {
		closep(&slot->socket);
		return take_ptr(slot->run) ? r : 0;
	}
	/* In a build for sanitizers coroutine_fork() has waited. */
	if (runner->is_stopped)
		cancel(runner, slot);
	coroutine_wake(&runner->changed);
	return 0;
}

void runner_stop(struct runner *runner)
{
	const struct run_result gone = {.end = RUN_GONE};

	runner->is_stopped = true;
	coroutine_wake(&runner->changed);
	coroutine_join(take_ptr(runner->watching));
	for (size_t i = 0; i < HELPER_GUARDS; i++)
		cancel(runner, &runner->slots[i]);
	for (size_t i = 0; i < HELPER_GUARDS; i++) {
		struct run *run = take_ptr(runner->slots[i].run);
		if (run)
			run->done(run, &gone);
	}
}

bool runner_is_stopped(const struct runner *runner)
{
	return runner && runner->is_stopped;
}

void runner_free(struct runner *runner)
{
	if (!runner)
		return;
	runner_stop(runner);
	for (size_t i = 0; i < HELPER_GUARDS; i++)
		if (runner->slots[i].socket >= 0) {
			helper_end(helper_of(runner, &runner->slots[i]), END_MS);
			finish(runner, &runner->slots[i]);
		}
	free(runner->origin.language);
	free(runner);
}

void runner_freep(struct runner **runner)
{
	runner_free(*runner);
}

/* A run that a caller waits for. */
struct awaited_run {
	struct run run;            /* first */
	struct run_result *result; /* NULL: it has ended */
	struct coroutine_queue waiting;
};

static void wake(struct run *run, const struct run_result *result)
{
	struct awaited_run *awaited = (struct awaited_run *)run;

	*take_ptr(awaited->result) = *result;
	coroutine_wake(&awaited->waiting);
}

void runner_wait(struct runner *runner, enum run_kind kind, const struct program *program,
	const char *path, int fd, struct run_result *ret)
{
	struct awaited_run awaited = {.run.done = wake, .result = ret};

	int r = runner_run(runner, kind, program, path, fd, &awaited.run);
	if (r < 0) {
		*ret = run_unstarted(r);
		return;
	}
	while (awaited.result)
		coroutine_wait(&awaited.waiting, NULL);
}

int runner_file(const char *data, size_t size)
{
	CLEANUP(closep) int fd = memfd_create("plyfs", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	int r = text_write(fd, data, size);
	return r < 0 ? r : take_fd(&fd);
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
	runner_wait(runner, RUN_CHECK, program, path, fd, ret);
	if (run_is_good(ret))
		return 0;
	run_problem(ret, &subject, problem);
	return program->is_optional && run_is_missing(ret, program, name, &why) ? RUNNER_UNCHECKED
										: PROBLEM;
}
