#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "await.h"
#include "backoff.h"
#include "cleanup.h"
#include "clock.h"
#include "coroutine.h"
#include "descriptor.h"
#include "forked.h"
#include "helper.h"
#include "mirror_process.h"
#include "mirror_report.h"
#include "text.h"

/* Pauses before a mirror that has ended is started again. After a run that was longer than the
 * longest pause, they begin anew. */
static const struct backoff restart_ms = {500, 30000};

/* ms between two looks at a process whose descriptors epoll does not watch. */
#define LOOK_INTERVAL 1000

/* ms between two looks for a state, in supervisor_wait(). */
#define WAIT_STEP 20

/* ms that killed mirrors have to end. A disk that hangs may keep one for ever. */
#define END_MS 1000

/* Size of the reason for a missing state, in bytes. */
#define REASON_MAX 512

/* Size of a line of the log, in bytes. */
#define TEXT_MAX MIRROR_REPORTER_LINE

/* Reads of a mirror's messages at a time: a mirror must not keep the daemon busy. */
#define LOG_READS 16

/* A store, and its mirror. Without a spec, supervisor->reporter; or freed when it has ended. */
struct supervised_mirror {
	struct supervised_mirror *next;
	const struct layer_spec *spec; /* of supervisor->settings; NULL: see below */
	pid_t pid;                     /* 0: it does not run */
	int pidfd;                     /* -1: not watched; step() looks every LOOK_INTERVAL */
	int log;                       /* pipe with its messages; -1: none */
	int64_t start_ms;              /* clock_ms() at which it is started */
	int64_t started_ms;
	enum helper_state logged; /* HELPER_RUNS or HELPER_STOPPED */
	unsigned ends;            /* how often it has ended since its last long run */
	char line[TEXT_MAX];      /* the beginning of its next message */
	size_t line_len;
};

struct supervisor {
	struct supervisor_options options;
	struct settings *settings; /* whose stores are mirrored */
	struct settings *next;     /* from supervisor_use(), not used yet; NULL: none */
	struct supervised_mirror *all;
	const struct supervised_mirror *reporter; /* one of `all`; NULL: none */
	int program;                              /* our own executable */
	int events_fd;                            /* epoll: ends and messages of mirrors */
	time_t started;
	char last_line[REASON_MAX]; /* of the log */

	struct coroutine *coroutine;    /* NULL: none, or it is to end */
	struct coroutine_queue changed; /* where the coroutine waits */
};

/* Before the first wait, reports a store whose mirror can't run. */
static int check_stores(const struct settings *outline, struct problem *problem)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < outline->spec_count; i++) {
		const struct store_spec *store = outline->specs[i].store;
		struct mirror_identity identity;

		if (!store)
			continue;
		r = mirror_identity_find(store, &identity, problem);
		if (r == 0)
			r = mirror_process_prepare(store, &identity, problem);
		free(identity.text);
	}
	return r;
}

/* Logs a line about the process; one that is too long is cut. */
static void log_of(
	struct supervisor *supervisor, const struct supervised_mirror *mirror, const char *what)
{
	char line[TEXT_MAX];

	if (!mirror->spec && mirror != supervisor->reporter)
		return;
	if (mirror->spec)
		snprintf(line, sizeof(line), "the mirror of the layer '%s': %s", mirror->spec->name,
			what);
	else
		snprintf(line, sizeof(line), "the process plyfs-report: %s", what);
	if (mirror->spec)
		snprintf(supervisor->last_line, REASON_MAX, "%.*s", REASON_MAX - 1, line);
	supervisor->options.log(supervisor->options.context, line);
}

/* Logs a whole line, without the "plyfs: " in front. A line of plyfs-report becomes the status. */
static void pass_line(struct supervisor *supervisor, struct supervised_mirror *mirror)
{
	static const char prefix[] = "plyfs: ";

	mirror->line[mirror->line_len] = '\0';
	size_t skip = strncmp(mirror->line, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
	if (mirror->line_len > skip && mirror == supervisor->reporter)
		supervisor->options.say(supervisor->options.context, mirror->line);
	else if (mirror->line_len > skip)
		log_of(supervisor, mirror, mirror->line + skip);
	mirror->line_len = 0;
}

/* Makes the coroutine wake when the descriptor is readable. Returns false if that fails. */
static bool watch(const struct supervisor *supervisor, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(supervisor->events_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Closes *fd. A process that was just forked may still have it, so close(2) is not enough. */
static void unwatch(const struct supervisor *supervisor, int *fd)
{
	if (*fd >= 0)
		(void)epoll_ctl(supervisor->events_fd, EPOLL_CTL_DEL, *fd, NULL);
	closep(fd);
	*fd = -1;
}

static void take_messages(struct supervisor *supervisor, struct supervised_mirror *mirror)
{
	char text[4096];
	ssize_t n = -1;

	for (int i = 0; i < LOG_READS && mirror->log >= 0; i++) {
		n = read(mirror->log, text, sizeof(text));
		if (n <= 0)
			break;
		for (ssize_t at = 0; at < n; at++) {
			if (text[at] != '\n')
				mirror->line[mirror->line_len++] = text[at];
			if (text[at] == '\n' || mirror->line_len + 1 == sizeof(mirror->line))
				pass_line(supervisor, mirror);
		}
	}
	if (n != 0)
		return;
	pass_line(supervisor, mirror);
	unwatch(supervisor, &mirror->log);
}

/* Puts the next start off. Returns whether the log is to have it: of a mirror each end; of
 * plyfs-report the first since its last long run. */
static bool postpone(struct supervised_mirror *mirror)
{
	int64_t now_ms = clock_ms();

	if (mirror->started_ms && now_ms - mirror->started_ms > restart_ms.limit)
		mirror->ends = 0;
	mirror->start_ms = now_ms + backoff_pause(&restart_ms, mirror->ends++);
	return mirror->spec || mirror->ends == 1;
}

/* Returns the pid, or -errno. */
static pid_t start_process(struct supervisor *supervisor, struct supervised_mirror *mirror)
{
	const struct sandbox_switches *switches = &supervisor->options.switches;

	if (!mirror->spec)
		return mirror_reporter_start(supervisor->settings, switches, &mirror->log);
	return mirror_process_start(
		&(struct mirror_start){mirror->spec->store, switches, supervisor->program},
		&mirror->log);
}

static void start(struct supervisor *supervisor, struct supervised_mirror *mirror)
{
	pid_t pid = start_process(supervisor, mirror);
	char text[256];

	mirror->started_ms = clock_ms();
	if (pid < 0) {
		snprintf(text, sizeof(text), "it can't be started: %s", text_error(pid));
		if (postpone(mirror))
			log_of(supervisor, mirror, text);
		return;
	}
	mirror->pid = pid;
	mirror->pidfd = pidfd_open(pid, 0);
	if (!watch(supervisor, mirror->pidfd) || !watch(supervisor, mirror->log))
		unwatch(supervisor, &mirror->pidfd);
}

static void note_end(struct supervisor *supervisor, struct supervised_mirror *mirror, int status)
{
	char text[256];

	take_messages(supervisor, mirror);
	unwatch(supervisor, &mirror->log);
	unwatch(supervisor, &mirror->pidfd);
	mirror->pid = 0;
	mirror->logged = HELPER_RUNS;
	/* No layer is a mirror's. */
	if (mirror == supervisor->reporter && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		supervisor->reporter = NULL;
	if (!postpone(mirror))
		return;
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "was ended by a signal (%s)",
			strsignal(WTERMSIG(status)));
	else
		snprintf(text, sizeof(text), "has ended with the status %d", WEXITSTATUS(status));
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		", and is started again in %.1f s", (double)(mirror->start_ms - clock_ms()) / 1000);
	log_of(supervisor, mirror, text);
}

static void note_stop(struct supervisor *supervisor, struct supervised_mirror *mirror)
{
	enum helper_state now = forked_is_stopped(mirror->pid) ? HELPER_STOPPED : HELPER_RUNS;
	char text[MIRROR_IDLE_MAX] = "its process goes on";

	if (now == HELPER_STOPPED)
		snprintf(text, sizeof(text), MIRROR_STOPPED, (int)mirror->pid, (int)mirror->pid);
	if (now != mirror->logged)
		log_of(supervisor, mirror, text);
	mirror->logged = now;
}

/* Takes messages, reaps and starts mirrors. Returns the ms until more is due; -1: nothing is. */
static int step(struct supervisor *supervisor)
{
	int64_t now_ms = clock_ms(), next_ms = INT64_MAX;

	for (struct supervised_mirror **at = &supervisor->all, *mirror; (mirror = *at);) {
		int status = 0;

		take_messages(supervisor, mirror);
		if (mirror->pid && forked_reap(mirror->pid, &status))
			note_end(supervisor, mirror, status);
		if (mirror->pid)
			note_stop(supervisor, mirror);
		if (!mirror->pid && !mirror->spec && mirror != supervisor->reporter) {
			*at = mirror->next;
			free(mirror);
			continue;
		}
		if (!mirror->pid && mirror->start_ms <= now_ms)
			start(supervisor, mirror);
		int64_t deadline_ms = !mirror->pid        ? mirror->start_ms
				      : mirror->pidfd < 0 ? now_ms + LOOK_INTERVAL
							  : INT64_MAX;
		if (deadline_ms < next_ms)
			next_ms = deadline_ms;
		at = &mirror->next;
	}
	now_ms = clock_ms();
	return next_ms == INT64_MAX ? -1 : next_ms > now_ms ? (int)(next_ms - now_ms) : 0;
}

/* Returns whether both stores have the same mirror, with the same arguments. */
static bool is_same(const struct store_spec *a, const struct store_spec *b)
{
	size_t i = 0;

	while (a->words[i] && b->words[i] && strcmp(a->words[i], b->words[i]) == 0)
		i++;
	return !a->words[i] && !b->words[i];
}

/* Returns the pointer to the store's mirror; if there is none, the last pointer, which is NULL. */
static struct supervised_mirror **find(
	struct supervised_mirror **list, const struct store_spec *store)
{
	struct supervised_mirror **at = list;

	while (*at && !((*at)->spec && is_same((*at)->spec->store, store)))
		at = &(*at)->next;
	return at;
}

/* NULL: no memory. */
static struct supervised_mirror *make(void)
{
	struct supervised_mirror *mirror = calloc(1, sizeof(*mirror));

	if (mirror)
		*mirror = (struct supervised_mirror){.pidfd = -1, .log = -1};
	return mirror;
}

/* Moves the layer's mirror from the list of old ones, or makes one. Without memory the layer has
 * none until plyfs.yaml is read again. */
static void take(struct supervised_mirror **old, const struct layer_spec *spec,
	struct supervised_mirror **all)
{
	struct supervised_mirror **at = find(old, spec->store), *mirror = *at;

	if (*find(all, spec->store))
		return;
	if (mirror)
		*at = mirror->next;
	else if (!(mirror = make()))
		return;
	mirror->spec = spec;
	mirror->next = *all;
	*all = mirror;
}

/* Returns whether plyfs-report reads the same layers for both. */
static bool report_alike(const struct settings *a, const struct settings *b)
{
	size_t i = 0;

	while (i < a->spec_count && i < b->spec_count &&
		strcmp(a->specs[i].name, b->specs[i].name) == 0 &&
		strcmp(a->specs[i].path, b->specs[i].path) == 0 &&
		!a->specs[i].store == !b->specs[i].store)
		i++;
	return i == a->spec_count && i == b->spec_count;
}

/* Mirrors the stores of `settings`, which it owns from now on. Kills all other mirrors. */
static void take_stores(struct supervisor *supervisor, struct settings *settings)
{
	struct supervised_mirror *old = supervisor->all, *all = NULL, **end = &all;
	bool is_alike = supervisor->settings && report_alike(supervisor->settings, settings);

	for (size_t i = 0; i < settings->spec_count; i++)
		if (settings->specs[i].store)
			take(&old, &settings->specs[i], &all);
	while (*end)
		end = &(*end)->next;
	*end = old;
	for (; old; old = old->next) {
		old->spec = NULL;
		if (old->pid && !(is_alike && old == supervisor->reporter))
			(void)kill(old->pid, SIGKILL);
	}
	supervisor->all = all;
	settings_unref(supervisor->settings);
	supervisor->settings = settings;
	if (!supervisor->options.say || is_alike)
		return;
	/* Without memory there is no status line. */
	struct supervised_mirror *reporter = make();
	supervisor->reporter = reporter;
	if (reporter) {
		reporter->next = supervisor->all;
		supervisor->all = reporter;
	}
}

int supervisor_new(struct settings *outline, const struct supervisor_options *options,
	struct supervisor **ret, struct problem *problem)
{
	CLEANUP(supervisor_freep) struct supervisor *supervisor = calloc(1, sizeof(*supervisor));
	CLEANUP(closep) int program = open("/proc/self/exe", O_PATH | O_CLOEXEC);

	if (!supervisor)
		return -ENOMEM;
	supervisor->options = *options;
	supervisor->started = time(NULL);
	if (!getenv("NOTIFY_SOCKET"))
		supervisor->options.say = NULL;
	supervisor->events_fd = epoll_create1(EPOLL_CLOEXEC);
	/* Not one of 0 to 2, which a new mirror replaces. */
	supervisor->program = fcntl(program, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (supervisor->events_fd < 0 || supervisor->program < 0)
		return -errno;
	int r = check_stores(outline, problem);
	if (r != 0)
		return r;
	take_stores(supervisor, settings_ref(outline));
	(void)step(supervisor);
	*ret = take_ptr(supervisor);
	return 0;
}

static void run(void *context)
{
	struct supervisor *supervisor = context;

	while (supervisor->coroutine) {
		if (supervisor->next)
			take_stores(supervisor, take_ptr(supervisor->next));
		struct pollfd events = {.fd = supervisor->events_fd, .events = POLLIN};
		int left_ms = step(supervisor);
		/* step() may have waited, with new settings or the stop meanwhile. */
		if (!supervisor->coroutine || supervisor->next)
			continue;
		struct timespec left = {left_ms / 1000, left_ms % 1000 * 1000000L};
		coroutine_poll(&events, 1, left_ms < 0 ? NULL : &left, &supervisor->changed);
	}
}

int supervisor_start(struct supervisor *supervisor)
{
	return coroutine_new(run, supervisor, &supervisor->coroutine);
}

void supervisor_use(struct supervisor *supervisor, struct settings *settings)
{
	settings_unref(supervisor->next);
	supervisor->next = settings_ref(settings);
	coroutine_wake(&supervisor->changed);
}

void supervisor_look(struct supervisor *supervisor)
{
	if (supervisor)
		coroutine_wake(&supervisor->changed);
}

void supervisor_stop(struct supervisor *supervisor)
{
	if (!supervisor || !supervisor->coroutine)
		return;
	struct coroutine *coroutine = take_ptr(supervisor->coroutine);
	coroutine_wake(&supervisor->changed);
	coroutine_join(coroutine);
}

static bool has_state(const struct store_spec *store)
{
	struct stat found;

	return stat(store->directory, &found) == 0 && S_ISDIR(found.st_mode);
}

/* Returns whether the store has answered; its state may be held back. An earlier mirror's report
 * does not count: its process has ended, and its last contact was before the supervisor began. */
static bool is_fresh(const struct supervisor *supervisor, const struct store_spec *store)
{
	struct mirror_report report;

	if (!mirror_report_of(store->directory, &report))
		return false;
	double pid = report_number(report.map, "pid");
	bool is_there = pid > 1 && pid < INT_MAX && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
	bool is_so =
		mirror_report_is_connected(&report) &&
		(is_there || report_number(report.map, "contact") >= (double)supervisor->started);
	mirror_report_fini(&report);
	return is_so;
}

/* Writes the reason for a missing state: the mirror's first fault, or the last line of the log. */
static void put_reason(
	const struct supervisor *supervisor, const struct store_spec *store, char ret[REASON_MAX])
{
	struct mirror_report report;

	snprintf(ret, REASON_MAX, "%s",
		*supervisor->last_line ? supervisor->last_line : "the mirror has reported nothing");
	if (!mirror_report_of(store->directory, &report))
		return;
	if (report_count(report.faults))
		snprintf(
			ret, REASON_MAX, "%s", report_text(report.faults->seq.items[0], "message"));
	mirror_report_fini(&report);
}

/* Returns whether there is a network interface other than loopback. */
static bool has_network(void)
{
	CLEANUP(fclosep) FILE *file = fopen("/proc/self/net/dev", "re");
	char line[512], name[64];
	bool has_other = !file;

	while (file && !has_other && fgets(line, sizeof(line), file))
		has_other = !strchr(line, '|') && sscanf(line, " %63[^:]:", name) == 1 &&
			    strcmp(name, "lo") != 0;
	return has_other;
}

static int complain(
	const struct supervisor *supervisor, const struct layer_spec *spec, struct problem *problem)
{
	char reason[REASON_MAX];

	put_reason(supervisor, spec->store, reason);
	return problem_at(problem, spec->place,
		"the layer '%s' has no state yet, after %.1f s: %s; %s, or give 'wait' for more "
		"time, or 'optional: true' for a mount that begins without the layer",
		spec->name, (double)spec->store->wait_ms / 1000, reason,
		has_network() ? "check the store"
			      : "there is no network here, see SERVICE in plyfs(1)");
}

static void log_old(const struct supervisor *supervisor, const struct layer_spec *spec)
{
	char reason[REASON_MAX], line[PROBLEM_MESSAGE_MAX];

	put_reason(supervisor, spec->store, reason);
	snprintf(line, sizeof(line), "the layer '%s' has the last state that the store gave: %s",
		spec->name, reason);
	supervisor->options.log(supervisor->options.context, line);
}

static int wait_for(struct supervisor *supervisor, const struct layer_spec *spec, bool wants_fresh,
	int64_t began_ms, struct problem *problem)
{
	const struct store_spec *store = spec->store;

	while (!has_state(store) || (wants_fresh && !is_fresh(supervisor, store))) {
		struct pollfd events = {.fd = supervisor->events_fd, .events = POLLIN};

		if (clock_ms() - began_ms >= (int64_t)store->wait_ms) {
			if (!has_state(store))
				return complain(supervisor, spec, problem);
			log_old(supervisor, spec);
			return 0;
		}
		await_ms(&events, 1, WAIT_STEP);
		(void)step(supervisor);
	}
	/* Logs what the mirror wrote before its status, such as why a state is held back. */
	(void)step(supervisor);
	return 0;
}

int supervisor_wait(struct supervisor *supervisor, bool is_fresh, struct problem *problem)
{
	const struct settings *outline = supervisor->settings;
	int64_t began_ms = clock_ms();
	int r = 0;

	for (size_t i = 0; r == 0 && i < outline->spec_count; i++) {
		const struct layer_spec *spec = &outline->specs[i];

		if (spec->store && spec->presence != LAYER_OPTIONAL)
			r = wait_for(supervisor, spec, is_fresh, began_ms, problem);
	}
	return r;
}

void supervisor_kill(const struct supervisor *supervisor)
{
	for (const struct supervised_mirror *mirror = supervisor ? supervisor->all : NULL; mirror;
		mirror = mirror->next)
		if (mirror->pid)
			(void)kill(mirror->pid, SIGKILL);
}

void supervisor_freep(struct supervisor **place)
{
	struct supervisor *supervisor = *place;
	int64_t until_ms = clock_ms() + END_MS;

	if (!supervisor)
		return;
	supervisor_kill(supervisor);
	while (supervisor->all) {
		struct supervised_mirror *mirror = supervisor->all;
		int64_t left_ms = until_ms - clock_ms();
		supervisor->all = mirror->next;
		if (mirror->pid)
			(void)forked_await(
				mirror->pid, mirror->pidfd, left_ms > 0 ? (int)left_ms : 0);
		closep(&mirror->pidfd);
		closep(&mirror->log);
		free(mirror);
	}
	closep(&supervisor->events_fd);
	closep(&supervisor->program);
	settings_unref(supervisor->settings);
	settings_unref(supervisor->next);
	free(supervisor);
}
