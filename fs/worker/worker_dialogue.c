#include "worker_dialogue.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "await.h"
#include "cleanup.h"
#include "clock.h"
#include "coroutine.h"
#include "descriptor.h"
#include "fd_message.h"
#include "forked.h"
#include "version_record.h"
#include "worker_message.h"

/* ms of processor time. A worker that uses less within its patience stands still. */
#define STILL_MS 20

/* How often the daemon looks at a worker within the worker's patience. */
#define LOOKS 10

/* ms for a job that makes steps but uses no processor, such as a listing over a slow network. */
#define LONGEST_MS (10 * 60 * 1000)

/* ms. The least patience with a worker that was just forked. */
#define START_MS 5000

/* The most names that are noted in worker_job.asked. */
#define ASKED_MAX 4096

/* Returns the processor time in ms that the worker has used; -1: it has ended. */
static int64_t used_ms(const struct worker *worker)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(worker->pid, &clock) != 0 || clock_gettime(clock, &used) < 0)
		return -1;
	return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

/* Twice answer_ms, as reading takes several requests to the file system. */
static int patience_of(const struct worker_job *job)
{
	return job->patience_ms ? job->patience_ms
				: 2 * (int)job->composer->settings->options.answer_ms;
}

/* Waits for a message. Returns 0; -ETIMEDOUT: the worker stands still; or another -errno. */
static int await(const struct worker *worker, const struct worker_job *job)
{
	int patience_ms = patience_of(job);
	int start_ms = patience_ms > START_MS ? patience_ms : START_MS;
	struct pollfd message = {.fd = worker->socket, .events = POLLIN};
	unsigned steps = atomic_load(&worker->page->steps);
	bool is_ready = steps;
	/* -1: not read now, as most workers answer before the first look. */
	int64_t used = is_ready ? -1 : used_ms(worker);
	int64_t end_ms = clock_ms() + (job->longest_ms ? job->longest_ms : LONGEST_MS);

	for (int looks = 0;;) {
		int r = await_ms(&message, 1, (is_ready ? patience_ms : start_ms) / LOOKS);
		if (r > 0)
			return 0;
		if (r < 0 && errno != EINTR)
			return -errno;
		int64_t now = used_ms(worker);
		unsigned done = atomic_load(&worker->page->steps);
		/* The worker has just become ready: its patience begins now. */
		bool is_new = !is_ready && done;
		bool is_still = !is_new && now >= 0 && used >= 0 && now - used < STILL_MS;
		if (!is_still || (done != steps && clock_ms() < end_ms)) {
			looks = 0;
			used = now;
			steps = done;
		} else if (r == 0 && ++looks == LOOKS) {
			return -ETIMEDOUT;
		}
		is_ready |= is_new;
	}
}

/* The names may be those of a hostile worker. */
static int note_asked(struct path_list *asked, const char *directory, const char *name)
{
	bool is_noted = asked && asked->count < 2 * (size_t)ASKED_MAX &&
			strlen(directory) < PATH_MAX && strlen(name) < PATH_MAX;

	return is_noted ? path_list_add_pair(asked, directory, name) : 0;
}

static void reply_find(const struct worker_job *job, struct record *question, struct record *reply)
{
	CLEANUP(freep) char *directory = record_get_text(question);
	CLEANUP(freep) char *name = record_get_text(question);
	size_t skip = record_get(question);
	CLEANUP(freep) char *path = NULL;
	const struct finder *finder = job->composer->finder;
	layer_mask layers = 0;
	int r = directory && name ? note_asked(job->asked, directory, name) : -EINVAL;

	if (r == 0)
		r = finder ? finder->find(finder->context, directory, name, skip, &path, &layers)
			   : FINDER_ABSENT;
	record_put(reply, r == FINDER_ABSENT ? ENOENT : (uint64_t)-r);
	record_put_text(reply, path);
	record_put(reply, layers);
}

/* A file that a worker may not open itself. */
struct followed {
	int path_fd; /* O_PATH */
	int flags;
	int socket; /* of the process that opens it */
	pid_t daemon;
};

/* Returns a descriptor or -errno. */
static int open_followed(const struct followed *followed)
{
	char link[DESCRIPTOR_LINK_MAX];
	struct stat stat;

	if (fstat(followed->path_fd, &stat) < 0)
		return -errno;
	/* The content of other files depends on the process that reads them, or is a device's. */
	if ((!S_ISREG(stat.st_mode) && !S_ISDIR(stat.st_mode)) ||
		layer_is_kernels_own(followed->path_fd))
		return -EACCES;
	descriptor_link(followed->path_fd, link);
	int fd = open(link,
		O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (followed->flags & O_DIRECTORY));
	return fd < 0 ? -errno : fd;
}

/* Runs in a process of its own, without /dev/fuse: the file system may not answer. */
static void run_followed(void *context)
{
	const struct followed *followed = context;
	int kept[] = {followed->path_fd, followed->socket};

	descriptor_close_except(kept, 2);
	if (!forked_dies_with(followed->daemon))
		_exit(1);
	int fd = open_followed(followed);
	int result = fd < 0 ? fd : 0;
	_exit(fd_message_send(followed->socket, &result, sizeof(result), fd) < 0);
}

/* Reaps processes that stood still. Returns a place for one more; NULL: too many stand still. */
static pid_t *find_place(void)
{
	static pid_t still[WORKERS_LEFT_MAX];
	pid_t *place = NULL;

	for (size_t i = 0; i < WORKERS_LEFT_MAX; i++) {
		if (still[i] && forked_reap(still[i], NULL))
			still[i] = 0;
		if (!still[i])
			place = &still[i];
	}
	return place;
}

/* Returns a descriptor or -errno: -ETIMEDOUT: no answer within `answer_ms`. */
static int open_elsewhere(struct followed *followed, unsigned answer_ms)
{
	pid_t *place = find_place();
	int ends[2], result = -EIO, fd = -1;

	if (!place)
		return -ETIMEDOUT;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	followed->socket = ends[1];
	pid_t pid = coroutine_fork(run_followed, followed);
	close(ends[1]);
	struct pollfd answer = {.fd = ends[0], .events = POLLIN};
	if (pid < 0)
		result = pid;
	else if (await_ms(&answer, 1, (int)answer_ms) <= 0)
		result = -ETIMEDOUT;
	else if (fd_message_take(ends[0], &result, sizeof(result), &fd) != sizeof(result))
		result = -EIO;
	close(ends[0]);
	if (pid > 0)
		kill(pid, SIGKILL);
	/* A process that has answered ends now. Any other one is reaped by a later call. */
	if (pid > 0 && (result == -ETIMEDOUT || waitpid(pid, NULL, 0) < 0))
		*place = pid;
	return fd >= 0 ? fd : result < 0 ? result : -EIO;
}

/* The worker may be compromised: only a layer with `follow` makes other files readable. */
static void reply_open(const struct worker_job *job, struct record *question, struct record *reply)
{
	CLEANUP(closep) int path_fd = record_get_fd(question);
	int flags = (int)record_get_below(question, INT_MAX);
	const struct settings *settings = job->composer->settings;
	struct followed followed = {path_fd, flags, -1, getpid()};
	CLEANUP(closep) int fd = -EACCES;

	if (path_fd >= 0 && settings_follow_links(settings))
		fd = open_elsewhere(&followed, settings->options.answer_ms);
	record_put(reply, fd < 0 ? (uint64_t)-fd : 0);
	record_put_fd(reply, fd);
}

static void reply_fallback(
	const struct worker_job *job, struct record *question, struct record *reply)
{
	uint64_t rank = record_get_below(question, job->composer->settings->layer_count - 1);
	CLEANUP(freep) char *path = record_get_text(question);
	struct fallbacks *fallbacks = job->composer->fallbacks;
	struct loaded *loaded = NULL;

	if (path && fallbacks && !record_error(question))
		loaded =
			fallbacks_use(fallbacks, job->composer->settings->layers[rank], path, NULL);
	bool is_there = loaded && loaded->text.data;
	record_put(reply, is_there);
	if (is_there)
		source_put(reply, loaded, loaded->text);
}

static int reply(const struct worker *worker, const struct worker_job *job,
	enum worker_message kind, struct record *question)
{
	CLEANUP(record_freep) struct record *reply = worker_message_new(WORKER_REPLY);

	if (!reply)
		return -ENOMEM;
	if (kind == WORKER_FIND)
		reply_find(job, question, reply);
	else if (kind == WORKER_OPEN)
		reply_open(job, question, reply);
	else if (kind == WORKER_FALLBACK)
		reply_fallback(job, question, reply);
	else
		return -EBADMSG;
	int r = record_end(question);
	return r == 0 ? worker_message_send(worker->socket, reply) : r;
}

void worker_answer_fini(struct worker_answer *answer)
{
	for (size_t i = 0; i < answer->text_count; i++)
		loaded_unref(answer->texts[i]);
	free(answer->texts);
	record_free(answer->record);
	*answer = (struct worker_answer){0};
}

void worker_answer_keep(struct worker_answer *answer, struct source_cache *cache)
{
	for (size_t i = 0; i < answer->text_count; i++)
		source_cache_keep(cache, answer->texts[i]);
}

static int take_text(const struct settings *settings, struct record *record, struct loaded **ret)
{
	CLEANUP(source_fini) struct read_source source;
	int r = source_take(record, settings, &source);

	return r == 0 ? loaded_of_text(&source, NULL, ret, NULL) : r;
}

/* Reads the part before the task's output. Returns 0, the task's -errno, -EBADMSG or -ENOMEM. */
static int take_answer(const struct settings *settings, struct worker_answer *answer)
{
	int r = -(int)record_get_below(answer->record, INT_MAX);
	size_t count = r == 0 ? record_get_count(answer->record, 8) : 0;

	answer->texts = calloc(count + 1, sizeof(*answer->texts));
	if (!answer->texts)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < count; i++) {
		r = take_text(settings, answer->record, &answer->texts[i]);
		answer->text_count += r == 0;
	}
	return r == 0 ? record_error(answer->record) : r;
}

/* Replies until the worker answers the job. Returns 0; -EPIPE: it has ended; or another -errno. */
static int converse(const struct worker *worker, const struct worker_job *job, struct record **ret)
{
	for (;;) {
		enum worker_message kind;
		CLEANUP(record_freep) struct record *message = NULL;

		int r = await(worker, job);
		if (r == 0)
			r = worker_message_receive(worker->socket, &kind, &message);
		if (r < 0)
			return r;
		if (kind != WORKER_ANSWER) {
			r = reply(worker, job, kind, message);
			if (r < 0)
				return r;
			continue;
		}
		*ret = take_ptr(message);
		return 0;
	}
}

static int send_job(const struct worker *worker, const struct worker_job *job)
{
	CLEANUP(record_freep) struct record *message = worker_message_new(WORKER_JOB);

	if (!message)
		return -ENOMEM;
	record_put(message, (uint64_t)(uintptr_t)job->task);
	job->put(job->put_context, message);
	return worker_message_send(worker->socket, message);
}

/* Finds how the worker has ended. Returns false if that is not known. */
static bool find_end(const struct worker *worker, siginfo_t *ret)
{
	struct pollfd end = {.fd = worker->pidfd, .events = POLLIN};

	*ret = (siginfo_t){0};
	return worker->pidfd >= 0 && await_ms(&end, 1, WORKER_END_MS) > 0 &&
	       waitid(P_PID, (id_t)worker->pid, ret, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       ret->si_pid != 0;
}

static bool has_lacked_memory(const struct worker *worker)
{
	siginfo_t info;

	return find_end(worker, &info) && info.si_code == CLD_EXITED &&
	       info.si_status == WORKER_NO_MEMORY;
}

/* Writes how the worker has ended, for a person. */
static void describe_end(const struct worker *worker, char *text, size_t size)
{
	siginfo_t info;

	if (!find_end(worker, &info))
		snprintf(text, size, "has ended");
	else if (info.si_code == CLD_EXITED)
		snprintf(text, size, "has ended with %d", info.si_status);
	else if (info.si_status == SIGPROF)
		snprintf(text, size, "took more than %u s of a processor",
			worker_seconds(worker->settings));
	else if (info.si_status == SIGKILL)
		snprintf(text, size, "was killed, perhaps for want of memory");
	else
		snprintf(text, size, "crashed (SIG%s)",
			sigabbrev_np(info.si_status) ? sigabbrev_np(info.si_status) : "?");
}

/* Fills `problem` with the reason for a missing answer. */
static void describe_failure(const struct worker *worker, const struct worker_job *job, int error,
	struct problem *problem)
{
	char source[PROBLEM_SOURCE_MAX];
	char end[128];

	memcpy(source, worker->page->source, sizeof(source));
	source[sizeof(source) - 1] = '\0';
	const char *what = source[0] ? source : job->path;
	if (error == -EPIPE)
		describe_end(worker, end, sizeof(end));
	if (error == -ETIMEDOUT)
		problem_set(problem, what, 0, 0,
			"can't be read: its file system has not answered for %g s; mount it anew",
			patience_of(job) / 1000.0);
	else if (error == -EOVERFLOW)
		problem_set(problem, what, 0, 0,
			"can't be read with %zu MiB of memory; make it smaller",
			WORKER_MEMORY >> 20);
	else if (error != -EPIPE)
		problem_set(problem, what, 0, 0,
			"the process that %s it gave a wrong answer; report it with the file",
			source[0] ? "read" : "merged");
	else
		problem_set(problem, what, 0, 0,
			"the process that %s it %s; undo its last change, and report it with the "
			"file",
			source[0] ? "read" : "merged", end);
}

bool worker_job_is_cancelled(const struct worker_job *job)
{
	const atomic_bool *flag = job->composer->is_cancelled;

	return flag && atomic_load(flag);
}

int worker_do(const struct worker *worker, const struct worker_job *job, struct worker_answer *ret,
	bool *can_go_on, struct problem *problem)
{
	int r = send_job(worker, job);
	*can_go_on = false;
	if (worker->jobs && (r == -EPIPE || r == -ECONNRESET))
		return -ESRCH;
	if (r == 0)
		r = converse(worker, job, &ret->record);
	/* If the daemon itself has failed, the worker is still in the middle of its job. */
	*can_go_on = r == 0;
	if (r == 0)
		r = take_answer(job->composer->settings, ret);
	if (r == 0)
		return 0;
	worker_answer_fini(ret);
	if (worker_job_is_cancelled(job)) {
		*can_go_on = false;
		return -ECANCELED;
	}
	if (r == -EPIPE && has_lacked_memory(worker))
		return -ENOMEM;
	if (r == -ETIMEDOUT && worker->jobs && forked_is_stopped(worker->pid))
		return -ESRCH;
	/* A new worker has an empty cache, and the limits that are in force by then. */
	if (r == -ENOMEM)
		*can_go_on = false;
	if (r != -EPIPE && r != -ETIMEDOUT && r != -EBADMSG && r != -EOVERFLOW)
		return r;
	*can_go_on = false;
	describe_failure(worker, job, r, problem);
	return r == -ETIMEDOUT ? r : PROBLEM;
}
