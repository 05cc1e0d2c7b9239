#include "supervisor_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"
#include "helper.h"
#include "mirror_process.h"
#include "mirror_report.h"
#include "mirror_sandbox.h"
#include "text.h"
#include "version.h"

/* ms. Pauses before a mirror that has ended is started again; one that ran for longer than the last
 * begins with the first. */
#define PAUSE_FIRST 500u
#define PAUSE_MAX 30000u

/* ms between two looks whether another supervisor has ended, and at what mirrors say. */
#define LOOK_INTERVAL 1000u

/* ms between two looks for a first state: at first, and when it takes long. */
#define STATE_INTERVAL_MIN 10u
#define STATE_INTERVAL_MAX 500u

/* ms that mirrors have to end by themselves. */
#define END_MS 2000u

/* A layer out of a store, and its mirror. */
struct supervised_mirror {
	struct supervised_mirror *next;
	const struct layer_spec *spec; /* of the settings in force */
	struct mirror_identity identity;
	int lock;        /* -1: another supervisor has it */
	pid_t pid;       /* 0: it does not run */
	int log;         /* what it says; -1: nothing */
	int64_t due;     /* when it is to be started, or the lock looked at */
	int64_t started; /* when it was */
	unsigned pause;  /* the next one */
	bool has_state;
	char line[1024]; /* what was said of it until now */
	size_t line_len;
};

struct supervisor_server {
	int socket;
	int signals;
	int program; /* our own */
	const struct sandbox_switches *switches;
	bool is_in_sandbox;
	char *bases[LAYERS_MAX]; /* beneath which we may write; none: everywhere */
	size_t base_count;
	const struct settings *settings; /* in force */
	struct settings *own; /* which we have read; NULL: those of the daemon, as it began */
	struct supervised_mirror *all;
	unsigned state_interval;
	bool wants_status;                   /* there is a service manager to be told */
	bool has_status;                     /* there is, or will be, something to tell it */
	int64_t look_at;                     /* when it is looked whether that is news */
	char status[SUPERVISOR_MESSAGE_MAX]; /* as it was told last */
};

/* A daemon that does not listen must not keep us: what is not taken is lost. */
static bool tell(
	const struct supervisor_server *server, enum supervisor_word word, const char *text)
{
	char message[SUPERVISOR_MESSAGE_MAX];
	int n = snprintf(message, sizeof(message), "%c%s", word, text);
	size_t len = (size_t)n < sizeof(message) ? (size_t)n : sizeof(message) - 1;

	return send(server->socket, message, len, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

static void tell_of(const struct supervisor_server *server, const struct supervised_mirror *kept,
	const char *what)
{
	char line[SUPERVISOR_MESSAGE_MAX];

	/* A line too long for a message is cut. */
	if (snprintf(line, sizeof(line), "the mirror of the layer '%s': %s", kept->spec->name,
		    what) > 0)
		tell(server, SUPERVISOR_LOG, line);
}

static void tell_problem(const struct supervisor_server *server,
	const struct supervised_mirror *kept, const struct problem *problem)
{
	char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX];

	problem_format(problem, text, sizeof(text));
	tell_of(server, kept, text);
}

/* A line that is complete: without the name that every message begins with. */
static void pass_line(const struct supervisor_server *server, struct supervised_mirror *kept)
{
	static const char prefix[] = "plyfs: ";
	size_t skip;

	kept->line[kept->line_len] = '\0';
	skip = strncmp(kept->line, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
	if (kept->line_len > skip)
		tell_of(server, kept, kept->line + skip);
	kept->line_len = 0;
}

/* What the mirror says. */
static void take_log(const struct supervisor_server *server, struct supervised_mirror *kept)
{
	char text[4096];
	ssize_t n = read(kept->log, text, sizeof(text));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	for (ssize_t i = 0; i < n; i++) {
		if (text[i] != '\n')
			kept->line[kept->line_len++] = text[i];
		if (text[i] == '\n' || kept->line_len + 1 == sizeof(kept->line))
			pass_line(server, kept);
	}
	if (n > 0)
		return;
	pass_line(server, kept);
	closep(&kept->log);
	kept->log = -1;
}

/* It is tried again after a pause. */
static void postpone(struct supervised_mirror *kept)
{
	int64_t now = clock_ms();

	if (kept->started && now - kept->started > PAUSE_MAX)
		kept->pause = PAUSE_FIRST;
	kept->due = now + kept->pause;
	kept->pause = kept->pause < PAUSE_MAX / 2 ? 2 * kept->pause : PAUSE_MAX;
}

/* Whether it is ours to run its mirror. */
static bool has_lock(struct supervised_mirror *kept)
{
	if (kept->lock >= 0)
		return true;
	CLEANUP(closep)
	int fd = open(kept->spec->store->lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return false;
	kept->lock = fd;
	fd = -1;
	return true;
}

/* Notes that mirrors' states may be kept there. The directory is made, if it can be. */
static int allow_base(struct supervisor_server *server, const struct store_spec *store,
	struct sandbox *sandbox, struct problem *problem)
{
	struct mirror_identity identity;
	struct problem ignored;

	if (mirror_identity_find(store, &identity, &ignored) != 0 ||
		mirror_process_prepare(store, &identity, &ignored) != 0)
		return 0;
	char *base = strdup(store->base);
	if (!base)
		return -ENOMEM;
	server->bases[server->base_count++] = base;
	return sandbox_allow_path(sandbox, base, SANDBOX_WRITE, problem);
}

/* Before anything is read of what a mirror says. What it may not do, no mirror may. */
static int enter_sandbox(struct supervisor_server *server, struct problem *problem)
{
	const struct sandbox_options options = {
		.process = SANDBOX_KEEP, .switches = *server->switches};
	CLEANUP(sandbox_freep) struct sandbox *sandbox = NULL;
	struct sandbox_state state;

	/* Of a try before. */
	while (server->base_count > 0)
		free(server->bases[--server->base_count]);
	int r = sandbox_prepare(&options, &sandbox, problem);
	for (struct supervised_mirror *kept = server->all; r == 0 && kept; kept = kept->next)
		r = allow_base(server, kept->spec->store, sandbox, problem);
	if (r == 0)
		r = mirror_sandbox_allow(sandbox, problem);
	if (r == 0)
		r = sandbox_enter(sandbox, &state, problem);
	if (r == 0 && state.landlock != SANDBOX_ON)
		server->base_count = 0;
	server->is_in_sandbox = r == 0;
	return r;
}

/* Settings may name another place by now than those that could be allowed. */
static int check_base(const struct supervisor_server *server, const struct store_spec *store,
	struct problem *problem)
{
	for (size_t i = 0; i < server->base_count; i++)
		if (strcmp(server->bases[i], store->base) == 0)
			return 0;
	return server->base_count == 0
		       ? 0
		       : problem_at(problem, store->place,
				 "states of mirrors can be kept only in the directories that were "
				 "known when the first mirror began, and not in %s; mount again, "
				 "or give 'state: %s'",
				 store->base, server->bases[0]);
}

static void start(struct supervisor_server *server, struct supervised_mirror *kept)
{
	const struct store_spec *store = kept->spec->store;
	struct problem problem;

	int r = server->is_in_sandbox ? 0 : enter_sandbox(server, &problem);
	if (r == 0)
		r = check_base(server, store, &problem);
	if (r == 0)
		r = mirror_identity_find(store, &kept->identity, &problem);
	if (r == 0)
		r = mirror_process_prepare(store, &kept->identity, &problem);
	if (r == 0 && !has_lock(kept)) {
		kept->due = clock_ms() + LOOK_INTERVAL;
		return;
	}
	const struct mirror_start how = {store, &kept->identity, server->switches, server->program};
	pid_t pid = r == 0 ? mirror_process_start(&how, &kept->log) : 0;
	kept->started = clock_ms();
	if (pid > 0) {
		kept->pid = pid;
		return;
	}
	if (r < 0 || pid < 0)
		problem_at(&problem, store->place, "it can't be started: %s",
			text_error(r < 0 ? r : pid));
	tell_problem(server, kept, &problem);
	postpone(kept);
}

/* How it has ended, and when it will be started again. */
static void note_end(
	const struct supervisor_server *server, struct supervised_mirror *kept, int status)
{
	char text[256];

	if (kept->log >= 0)
		take_log(server, kept);
	closep(&kept->log);
	kept->log = -1;
	kept->pid = 0;
	postpone(kept);
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "was ended by a signal (%s)",
			strsignal(WTERMSIG(status)));
	else
		snprintf(text, sizeof(text), "has ended with the status %d", WEXITSTATUS(status));
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		", and is started again in %.1f s", (double)(kept->due - clock_ms()) / 1000);
	tell_of(server, kept, text);
}

static void reap(const struct supervisor_server *server)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	(void)!read(server->signals, &info, sizeof(info));
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (struct supervised_mirror *kept = server->all; kept; kept = kept->next)
			if (kept->pid == pid)
				note_end(server, kept, status);
}

static void end_mirror(struct supervised_mirror *kept, int number)
{
	if (kept->pid)
		(void)kill(kept->pid, number);
}

/* Mirrors that end by themselves have a moment for it. */
static void end_all(struct supervised_mirror *all)
{
	int64_t until = clock_ms() + END_MS;
	bool is_any = true;

	for (struct supervised_mirror *kept = all; kept; kept = kept->next)
		end_mirror(kept, SIGTERM);
	while (is_any && clock_ms() < until) {
		is_any = false;
		for (struct supervised_mirror *kept = all; kept; kept = kept->next) {
			if (kept->pid && waitpid(kept->pid, NULL, WNOHANG) == kept->pid)
				kept->pid = 0;
			is_any |= kept->pid != 0;
		}
		if (is_any)
			poll(NULL, 0, 10);
	}
	for (struct supervised_mirror *kept = all; kept; kept = kept->next) {
		end_mirror(kept, SIGKILL);
		while (kept->pid && waitpid(kept->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

static void free_all(struct supervised_mirror *all)
{
	while (all) {
		struct supervised_mirror *next = all->next;

		closep(&all->log);
		closep(&all->lock);
		free(all);
		all = next;
	}
}

/* The same mirror, and run in the same way. */
static bool is_same(const struct store_spec *a, const struct store_spec *b)
{
	size_t i = 0;

	while (a->words[i] && b->words[i] && strcmp(a->words[i], b->words[i]) == 0)
		i++;
	return !a->words[i] && !b->words[i];
}

/* Takes the one that keeps that store already out of the list; NULL: none does. */
static struct supervised_mirror *take_same(
	struct supervised_mirror **all, const struct store_spec *store)
{
	for (struct supervised_mirror **at = all; *at; at = &(*at)->next)
		if (is_same((*at)->spec->store, store)) {
			struct supervised_mirror *kept = *at;
			*at = kept->next;
			return kept;
		}
	return NULL;
}

static struct supervised_mirror *make_kept(void)
{
	struct supervised_mirror *kept = calloc(1, sizeof(*kept));

	if (kept)
		*kept = (struct supervised_mirror){.lock = -1, .log = -1, .pause = PAUSE_FIRST};
	return kept;
}

/* What the settings name is kept, and nothing else. */
static void take_stores(struct supervisor_server *server, const struct settings *settings)
{
	struct supervised_mirror *old = server->all, *all = NULL;

	for (size_t i = 0; i < settings->spec_count; i++) {
		const struct layer_spec *spec = &settings->specs[i];
		struct supervised_mirror *kept = spec->store ? take_same(&old, spec->store) : NULL;

		if (spec->store && !kept)
			kept = make_kept();
		if (!kept)
			continue;
		kept->spec = spec;
		kept->next = all;
		all = kept;
	}
	/* First: one that runs with other words may have the state that is wanted. */
	end_all(old);
	free_all(old);
	server->all = all;
	server->settings = settings;
	server->state_interval = STATE_INTERVAL_MIN;
}

/* Whether the file is the one that was read. One that was changed just then may be another by now.
 */
static bool is_unchanged(const char *place, const struct stat *read)
{
	struct stat now;

	if (stat(place, &now) < 0)
		return false;
	const struct stamp was = stamp_of(read), is = stamp_of(&now);
	return stamp_equal(&was, &is) && time(NULL) - now.st_ctim.tv_sec > 1;
}

/* A plyfs.yaml that can't be used changes nothing, as in the daemon, which tells why. */
static void reload(struct supervisor_server *server)
{
	struct settings *settings;
	struct problem problem;

	const struct settings *old = server->settings;
	bool is_old = is_unchanged(old->place, &old->read) &&
		      (!old->facts.place || is_unchanged(old->facts.place, &old->facts.read));
	if (is_old || settings_outline(&server->settings->around, server->settings->path, &settings,
			      &problem) != 0)
		return;
	take_stores(server, settings);
	settings_unref(server->own);
	server->own = settings;
}

/* Messages that say nothing but that something has happened. Returns false at the end. */
static bool take_words(struct supervisor_server *server)
{
	char words[64];
	bool has_word = false;
	ssize_t n;

	while ((n = recv(server->socket, words, sizeof(words), MSG_DONTWAIT)) > 0)
		has_word = true;
	bool is_open = n < 0 && (errno == EAGAIN || errno == EINTR);
	if (has_word && is_open)
		reload(server);
	return is_open;
}

/* Returns whether all mirrors have a state. Reports each first state to the daemon. */
static bool look_for_states(const struct supervisor_server *server)
{
	bool have_all = true;

	for (struct supervised_mirror *kept = server->all; kept; kept = kept->next) {
		struct stat found;
		bool has_state =
			stat(kept->spec->store->directory, &found) == 0 && S_ISDIR(found.st_mode);

		if (!has_state)
			kept->has_state = false;
		else if (!kept->has_state)
			kept->has_state = tell(server, SUPERVISOR_STATE, "");
		have_all &= kept->has_state;
	}
	return have_all;
}

/* "fleet: etcd /fleet/ at 4711 from https://…", "; " between them. */
static void put_status(FILE *out, const struct layer_spec *spec, bool *is_first)
{
	struct mirror_report report;

	if (!mirror_report_of(spec->store ? spec->store->directory : spec->path, &report))
		return;
	const struct node *map = report.map;
	const char *revision = report_text(map, "revision");
	fprintf(out, "%s%s: %s %s%s%s", *is_first ? "" : "; ", spec->name, report_text(map, "kind"),
		report_text(map, "source"), *revision ? " at " : ", no state yet", revision);
	if (!report.is_running)
		fputs(", no process is running", out);
	else
		fprintf(out, "%s%s", report.is_connected ? " from " : ", not connected to ",
			report_text(map, "endpoint"));
	if (report_count(report.troubles)) {
		const struct node *trouble = report.troubles->seq.items[0];
		fprintf(out, " (errors: %.0f, %s: %s)", report_number(map, "trouble_count"),
			report_text(trouble, "subject"), report_text(trouble, "message"));
	}
	*is_first = false;
	mirror_report_fini(&report);
}

/* What the service manager shows, if it is news: of all layers that mirrors keep, whoever runs
 * them. */
static void tell_status(struct supervisor_server *server)
{
	CLEANUP(freep) char *text = NULL;
	bool is_first = true;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	for (size_t i = 0; i < server->settings->spec_count; i++)
		put_status(out, &server->settings->specs[i], &is_first);
	if (fclose(out) != 0)
		return;
	/* A mirror that has only been started says nothing yet. */
	server->has_status = len > 0 || server->all;
	if (!len || strncmp(server->status, text, sizeof(server->status) - 2) == 0)
		return;
	if (tell(server, SUPERVISOR_STATUS, text))
		snprintf(server->status, sizeof(server->status), "%s", text);
}

/* Does what is due. Returns the ms until more is; -1: nothing will be by itself. */
static int work(struct supervisor_server *server)
{
	int64_t now = clock_ms(), next = INT64_MAX;

	for (struct supervised_mirror *kept = server->all; kept; kept = kept->next) {
		if (!kept->pid && kept->due <= now)
			start(server, kept);
		if (!kept->pid && kept->due < next)
			next = kept->due;
	}
	if (look_for_states(server)) {
		server->state_interval = STATE_INTERVAL_MIN;
	} else {
		if (now + server->state_interval < next)
			next = now + server->state_interval;
		if (server->state_interval < STATE_INTERVAL_MAX)
			server->state_interval += server->state_interval / 8 + 1;
	}
	if (server->wants_status && server->look_at <= now) {
		tell_status(server);
		server->look_at = now + LOOK_INTERVAL;
	}
	if (server->has_status && server->look_at < next)
		next = server->look_at;
	now = clock_ms();
	return next == INT64_MAX ? -1 : next > now ? (int)(next - now) : 0;
}

/* Waits. Returns false when the daemon has ended. */
static bool wait_for_news(struct supervisor_server *server, int timeout_ms)
{
	struct pollfd polled[2 + LAYERS_MAX] = {{.fd = server->socket, .events = POLLIN},
		{.fd = server->signals, .events = POLLIN}};
	size_t count = 2;

	for (struct supervised_mirror *kept = server->all; kept; kept = kept->next)
		polled[count++] = (struct pollfd){.fd = kept->log, .events = POLLIN};
	if (poll(polled, count, timeout_ms) < 0 && errno != EINTR)
		return false;
	count = 2;
	for (struct supervised_mirror *kept = server->all; kept; kept = kept->next)
		if (polled[count++].revents)
			take_log(server, kept);
	if (polled[1].revents)
		reap(server);
	return !polled[0].revents || take_words(server);
}

void supervisor_process(
	const struct settings *outline, const struct sandbox_switches *switches, int socket)
{
	struct supervisor_server server = {.program = open("/proc/self/exe", O_PATH | O_CLOEXEC),
		.settings = outline,
		.switches = switches,
		.wants_status = getenv("NOTIFY_SOCKET") != NULL};
	sigset_t signals;

	if (server.program < 0)
		_exit(1);
	server.socket = helper_begin(HELPER_KEEP, socket, server.program);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	server.signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (server.signals < 0)
		_exit(1);
	take_stores(&server, outline);
	while (wait_for_news(&server, work(&server)))
		;
	end_all(server.all);
	/* Not exit(3): what was set up before the fork is the daemon's to take down. */
	_exit(0);
}
