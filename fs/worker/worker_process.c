#include "worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "reader_sandbox.h"
#include "version_record.h"
#include "worker_message.h"

/* Seconds of processor time between two ticks of the timer. */
#define TICK_S 1

/* The state of this process, which has one socket and one job. Some callbacks have no context. */
static struct {
	int socket;
	int watches;
	struct worker_page *page;
	struct record *answer; /* to the present job; the texts that were read go there */
	uint64_t read_count;
	size_t data_bytes; /* at the beginning */
	struct composer composer;

	/* Of the signal handler. */
	bool has_blocked;        /* the signal, for the present task */
	atomic_uint unit;        /* counts sources and merges */
	unsigned long_unit;      /* the unit at the last tick */
	volatile unsigned ticks; /* ticks since then with the same unit */
	unsigned ticks_max;      /* after them the process is killed; 0: it is not */
} self;

/* Ends the process: the daemon has gone, or its messages can't be understood. */
__attribute__((noreturn)) static void give_up(int error)
{
	_exit(error == -ENOMEM ? WORKER_NO_MEMORY : error == -EPIPE ? 0 : 1);
}

/* Sends the question, which it frees, and returns the reply. NULL: no memory for the question. */
static struct record *ask(struct record *question)
{
	struct record *reply = NULL;
	enum worker_message kind = WORKER_REPLY;

	if (!question)
		return NULL;
	int r = worker_message_send(self.socket, question);
	record_free(question);
	if (r == 0)
		r = worker_message_receive(self.socket, &kind, &reply);
	if (r < 0 || kind != WORKER_REPLY)
		give_up(r);
	return reply;
}

static int ask_find(void *context, const char *directory, const char *name, size_t skip, char **ret,
	layer_mask *layers)
{
	struct record *question = worker_message_new(WORKER_FIND);

	(void)context;
	if (!question)
		return -ENOMEM;
	record_put_text(question, directory);
	record_put_text(question, name);
	record_put(question, skip);
	CLEANUP(record_freep) struct record *reply = ask(question);
	if (!reply)
		return -ENOMEM;
	int error = (int)record_get_below(reply, INT_MAX);
	CLEANUP(freep) char *path = record_get_text(reply);
	*layers = record_get(reply);
	if (error)
		return error == ENOENT ? FINDER_ABSENT : -error;
	if (!path)
		return -ENOMEM;
	*ret = take_ptr(path);
	return 0;
}

static int ask_open(int path_fd, int flags)
{
	struct record *question = worker_message_new(WORKER_OPEN);

	if (!question)
		return -ENOMEM;
	record_put_fd(question, path_fd);
	record_put(question, (uint64_t)flags);
	CLEANUP(record_freep) struct record *reply = ask(question);
	if (!reply)
		return -ENOMEM;
	int error = (int)record_get_below(reply, INT_MAX);
	int fd = record_get_fd(reply);
	return fd >= 0 ? fd : error ? -error : -EMFILE;
}

struct loaded *worker_ask_fallback(
	const struct layer *layer, const char *path, const struct read_options *options)
{
	struct record *question = worker_message_new(WORKER_FALLBACK);
	CLEANUP(source_fini) struct read_source source = {.path = NULL};
	struct loaded *loaded = NULL;
	struct problem ignored;

	if (question) {
		record_put(question, layer->rank);
		record_put_text(question, path);
	}
	CLEANUP(record_freep) struct record *reply = ask(question);
	if (!reply || !record_get_bool(reply))
		return NULL;
	if (source_take(reply, self.composer.settings, &source) < 0 || record_end(reply) < 0 ||
		loaded_of_text(&source, options, &loaded, &ignored) != 0)
		return NULL;
	return loaded;
}

/*
 * Ends the process if the daemon has closed the socket: nothing waits for an answer then. If the
 * time for a source or merge is used up, the next tick kills the process.
 */
static void on_time(int number)
{
	struct pollfd end = {.fd = self.socket, .events = 0};
	unsigned unit = atomic_load(&self.unit);
	int error = errno;

	if (poll(&end, 1, 0) > 0)
		_exit(0);
	errno = error;
	if (unit != self.long_unit) {
		self.long_unit = unit;
		self.ticks = 0;
	} else if (++self.ticks == self.ticks_max) {
		signal(number, SIG_DFL);
	}
}

/* The timer counts the process's use of a processor, so it does not wake an idle process. A process
 * that waits for the daemon sees its end anyway. */
static void watch_time(void)
{
	const struct timeval tick = {.tv_sec = TICK_S};
	const struct sigaction action = {.sa_handler = on_time, .sa_flags = SA_RESTART};

	sigaction(SIGPROF, &action, NULL);
	(void)setitimer(ITIMER_PROF, &(struct itimerval){tick, tick}, NULL);
}

void worker_note_step(void)
{
	if (self.page)
		atomic_fetch_add(&self.page->steps, 1);
}

int worker_watches(void)
{
	return self.watches;
}

/* From now on the process is busy with this source, or with a merge (""). */
static void name_source(const char *name)
{
	strncpy(self.page->source, name, sizeof(self.page->source) - 1);
	atomic_fetch_add(&self.unit, 1);
	worker_note_step();
	/* The last one ended just in time: on_time() is the handler again. */
	if (self.ticks_max && self.ticks >= self.ticks_max) {
		self.ticks = 0;
		watch_time();
	}
}

static void begin_source(void *context, const struct source *source)
{
	(void)context;
	name_source(source->name);
}

static void end_source(void *context, const struct loaded *loaded, struct span text)
{
	(void)context;
	name_source("");
	if (!loaded || !self.answer)
		return;
	source_put(self.answer, loaded, text);
	self.read_count++;
}

/* Bytes of data that the process has; 0: not known. Allocates nothing. */
static size_t data_bytes(void)
{
	char text[128];
	unsigned long pages;
	CLEANUP(closep) int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	if (sscanf(text, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		return 0;
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Memory that the daemon had before the fork does not count. */
static void limit_memory(void)
{
	struct rlimit limit;

	self.data_bytes = data_bytes();
	rlim_t bytes = self.data_bytes + WORKER_MEMORY;
	if (!self.data_bytes || getrlimit(RLIMIT_DATA, &limit) < 0 || bytes >= limit.rlim_cur)
		return;
	limit.rlim_cur = bytes;
	(void)setrlimit(RLIMIT_DATA, &limit);
}

/* Returns whether the job needs too much memory. If not, the machine has too little. */
static bool is_too_large(void)
{
	return self.data_bytes && data_bytes() > self.data_bytes + WORKER_MEMORY / 2;
}

static void block_signal(bool is_blocked)
{
	sigset_t own;

	sigemptyset(&own);
	sigaddset(&own, SIGPROF);
	pthread_sigmask(is_blocked ? SIG_BLOCK : SIG_UNBLOCK, &own, NULL);
	self.has_blocked = is_blocked;
}

void worker_block_signals(void)
{
	block_signal(true);
}

/* Does the job, and returns the answer; NULL: no memory. */
static struct record *work(struct record *job)
{
	CLEANUP(record_freep) struct record *answer = worker_message_new(WORKER_ANSWER);
	worker_task *task = (worker_task *)(uintptr_t)record_get(job);

	if (!answer)
		return NULL;
	record_put(answer, 0);
	size_t count = record_put_count(answer);
	self.read_count = 0;
	self.answer = answer;
	name_source("");
	int r = task(&self.composer, job, answer);
	if (self.has_blocked)
		block_signal(false);
	self.answer = NULL;
	if (r == 0) {
		record_set_count(answer, count, self.read_count);
		return take_ptr(answer);
	}
	struct record *failure = worker_message_new(WORKER_ANSWER);
	if (failure)
		record_put(failure, r == -ENOMEM && is_too_large() ? EOVERFLOW : (uint64_t)-r);
	return failure;
}

/* Allocates nothing. Unblocks its signal, as all are blocked in a forked process. */
void worker_end_with(int socket)
{
	self.socket = socket;
	watch_time();
	block_signal(false);
}

void worker_process(
	int socket, int watches, struct worker_page *page, const struct composer *composer)
{
	static const struct source_observer observer = {begin_source, end_source, NULL};
	static const struct finder finder = {.find = ask_find};
	struct sandbox_state state;
	struct problem problem;

	prctl(PR_SET_NAME, WORKER_NAME);
	/* A worker looks into remote layers itself. */
	layer_delegate(NULL);
	limit_memory();
	self.watches = watches;
	self.page = page;
	self.composer = (struct composer){
		.settings = composer->settings,
		.mounter = composer->mounter,
		.finder = &finder,
		.copies_held = true,
	};
	layer_open_elsewhere(ask_open);
	size_t cache_bytes = ((size_t)composer->settings->options.cache_mib << 20) / WORKERS_KEPT;
	int r = source_cache_new(cache_bytes, false, &self.composer.cache);
	if (r == 0)
		r = reader_sandbox_enter(composer->settings, watches, &state, &problem);
	if (r != 0)
		give_up(r == PROBLEM ? -EPERM : r);
	self.ticks_max = worker_seconds(composer->settings) / TICK_S;
	source_cache_observe(self.composer.cache, &observer);
	atomic_store(&page->steps, 1);
	for (;;) {
		enum worker_message kind;
		struct record *job, *answer;

		r = worker_message_receive(socket, &kind, &job);
		if (r < 0 || kind != WORKER_JOB)
			give_up(r);
		answer = work(job);
		record_free(job);
		r = answer ? worker_message_send(socket, answer) : -ENOMEM;
		record_free(answer);
		if (r < 0)
			give_up(r);
	}
}
