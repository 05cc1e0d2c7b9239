#include "supervisor.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
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
#include "descriptor.h"
#include "helper.h"
#include "mirror_process.h"
#include "mirror_report.h"
#include "supervisor_process.h"

/* It ends its mirrors, unless it is stopped. */
#define END_MS 5000

/* ms between two looks for a state, while nothing else can be done. */
#define WAIT_STEP 20

/* Bytes of why there is no state. */
#define REASON_MAX 512

struct supervisor {
	int socket;
	struct supervisor_options options;
	atomic_bool is_gone;
	time_t started;
	char last_line[REASON_MAX]; /* that went to the log */
};

/* Before the first wait, reports a store whose mirror can't run. */
static int check_stores(const struct settings *outline, struct problem *problem)
{
	struct mirror_identity identity;
	int r = 0;

	for (size_t i = 0; r == 0 && i < outline->spec_count; i++) {
		const struct store_spec *store = outline->specs[i].store;

		if (store)
			r = mirror_identity_find(store, &identity, problem);
		if (r == 0 && store)
			r = mirror_process_prepare(store, &identity, problem);
	}
	return r;
}

int supervisor_new(const struct settings *outline, const struct supervisor_options *options,
	struct supervisor **ret, struct problem *problem)
{
	CLEANUP(supervisor_freep) struct supervisor *supervisor = calloc(1, sizeof(*supervisor));
	int ends[2];

	if (!supervisor)
		return -ENOMEM;
	supervisor->socket = -1;
	supervisor->options = *options;
	supervisor->started = time(NULL);
	int r = check_stores(outline, problem);
	if (r != 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid_t pid = fork();
	if (pid == 0)
		supervisor_process(outline, &options->switches, ends[1]);
	r = pid < 0 ? -errno : 0;
	close(ends[1]);
	supervisor->socket = ends[0];
	if (r < 0)
		return r;
	helper_began(HELPER_KEEP, pid);
	*ret = take_ptr(supervisor);
	return 0;
}

int supervisor_fd(const struct supervisor *supervisor)
{
	return supervisor->socket;
}

bool supervisor_is_gone(const struct supervisor *supervisor)
{
	return atomic_load(&supervisor->is_gone);
}

/* Returns whether it means that a layer has a state. */
static bool take_message(struct supervisor *supervisor, const char *message)
{
	const struct supervisor_options *options = &supervisor->options;

	switch ((enum supervisor_word)message[0]) {
	case SUPERVISOR_LOG:
		snprintf(supervisor->last_line, REASON_MAX, "%.*s", REASON_MAX - 1, message + 1);
		options->log(options->context, message + 1);
		return false;
	case SUPERVISOR_STATUS:
		if (options->say)
			options->say(options->context, message + 1);
		return false;
	case SUPERVISOR_STATE:
		return true;
	}
	return false;
}

bool supervisor_take(struct supervisor *supervisor)
{
	char message[SUPERVISOR_MESSAGE_MAX];
	bool has_state = false;
	ssize_t n;

	while ((n = recv(supervisor->socket, message, sizeof(message) - 1, MSG_DONTWAIT)) > 0) {
		message[n] = '\0';
		has_state |= take_message(supervisor, message);
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return has_state;
	if (!atomic_exchange(&supervisor->is_gone, true))
		supervisor->options.log(supervisor->options.context,
			"the process plyfs-keep has ended: layers out of stores are not kept up to "
			"date any more; unmount and mount again");
	return has_state;
}

void supervisor_reload(struct supervisor *supervisor)
{
	(void)send(supervisor->socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static bool has_state(const struct store_spec *store)
{
	struct stat found;

	return stat(store->directory, &found) == 0 && S_ISDIR(found.st_mode);
}

/*
 * Whether the mirror knows that the store has nothing newer. What one that has ended has said does
 * not count, while the next one begins.
 */
static bool is_fresh(const struct supervisor *supervisor, const struct store_spec *store)
{
	struct mirror_report report;

	if (!mirror_report_of(store->directory, &report))
		return false;
	double pid = report_number(report.map, "pid");
	bool is_there = pid > 1 && pid < INT_MAX && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
	bool is_so = report.is_connected && (is_there || report_number(report.map, "contact") >=
								 (double)supervisor->started);
	mirror_report_fini(&report);
	return is_so;
}

/* What the mirror, or who runs it, says of why there is nothing. */
static void put_reason(
	const struct supervisor *supervisor, const struct store_spec *store, char ret[REASON_MAX])
{
	struct mirror_report report;

	snprintf(ret, REASON_MAX, "%s",
		*supervisor->last_line ? supervisor->last_line : "the mirror has reported nothing");
	if (!mirror_report_of(store->directory, &report))
		return;
	if (report_count(report.troubles))
		snprintf(ret, REASON_MAX, "%s",
			report_text(report.troubles->seq.items[0], "message"));
	mirror_report_fini(&report);
}

/* Whether there is another interface than the loopback one. */
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

/* There is one, and it may be an old one. */
static void log_old(const struct supervisor *supervisor, const struct layer_spec *spec)
{
	char reason[REASON_MAX], line[PROBLEM_MESSAGE_MAX];

	put_reason(supervisor, spec->store, reason);
	snprintf(line, sizeof(line), "the layer '%s' has the last state that the store gave: %s",
		spec->name, reason);
	supervisor->options.log(supervisor->options.context, line);
}

/* Until the one layer may be shown. */
static int wait_for(struct supervisor *supervisor, const struct layer_spec *spec, bool wants_fresh,
	int64_t began, struct problem *problem)
{
	const struct store_spec *store = spec->store;

	while (!has_state(store) || (wants_fresh && !is_fresh(supervisor, store))) {
		struct pollfd polled = {.fd = supervisor->socket, .events = POLLIN};

		if (clock_ms() - began >= (int64_t)store->wait_ms) {
			if (!has_state(store))
				return complain(supervisor, spec, problem);
			log_old(supervisor, spec);
			return 0;
		}
		await_ms(&polled, 1, WAIT_STEP);
		if (polled.revents)
			supervisor_take(supervisor);
		if (supervisor_is_gone(supervisor))
			return -EPIPE;
	}
	return 0;
}

int supervisor_wait(struct supervisor *supervisor, const struct settings *outline, bool is_fresh,
	struct problem *problem)
{
	int64_t began = clock_ms();
	int r = 0;

	for (size_t i = 0; r == 0 && i < outline->spec_count; i++) {
		const struct layer_spec *spec = &outline->specs[i];

		if (spec->store && !spec->optional)
			r = wait_for(supervisor, spec, is_fresh, began, problem);
	}
	return r;
}

void supervisor_freep(struct supervisor **place)
{
	struct supervisor *supervisor = *place;

	if (!supervisor)
		return;
	if (supervisor->socket >= 0)
		close(supervisor->socket);
	helper_end(HELPER_KEEP, END_MS);
	free(supervisor);
}
