#include "keeper.h"

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

#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"
#include "keeper_process.h"
#include "mirror_process.h"
#include "mirror_report.h"

/* ms between two looks for a state, while nothing else can be done. */
#define WAIT_STEP 20

/* Bytes of why there is no state. */
#define REASON_MAX 512

struct keeper {
	pid_t pid;
	int socket;
	struct keeper_options options;
	atomic_bool is_gone;
	time_t started;
	char last_line[REASON_MAX]; /* that went to the log */
};

/* What can't be run is told before anything is waited for. */
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

int keeper_new(const struct settings *outline, const struct keeper_options *options,
	struct keeper **ret, struct problem *problem)
{
	CLEANUP(keeper_freep) struct keeper *keeper = calloc(1, sizeof(*keeper));
	int ends[2];

	if (!keeper)
		return -ENOMEM;
	keeper->socket = -1;
	keeper->options = *options;
	keeper->started = time(NULL);
	int r = check_stores(outline, problem);
	if (r != 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid_t pid = fork();
	if (pid == 0)
		keeper_process(outline, &options->switches, ends[1]);
	r = pid < 0 ? -errno : 0;
	close(ends[1]);
	keeper->socket = ends[0];
	if (r < 0)
		return r;
	keeper->pid = pid;
	*ret = take_ptr(keeper);
	return 0;
}

int keeper_fd(const struct keeper *keeper)
{
	return keeper->socket;
}

bool keeper_is_gone(const struct keeper *keeper)
{
	return atomic_load(&keeper->is_gone);
}

/* Returns whether it means that a layer has a state. */
static bool take_message(struct keeper *keeper, const char *message)
{
	const struct keeper_options *options = &keeper->options;

	switch ((enum keeper_word)message[0]) {
	case KEEPER_LOG:
		snprintf(keeper->last_line, REASON_MAX, "%.*s", REASON_MAX - 1, message + 1);
		options->log(options->context, message + 1);
		return false;
	case KEEPER_STATUS:
		if (options->say)
			options->say(options->context, message + 1);
		return false;
	case KEEPER_STATE:
		return true;
	}
	return false;
}

bool keeper_take(struct keeper *keeper)
{
	char message[KEEPER_MESSAGE_MAX];
	bool has_state = false;
	ssize_t n;

	while ((n = recv(keeper->socket, message, sizeof(message) - 1, MSG_DONTWAIT)) > 0) {
		message[n] = '\0';
		has_state |= take_message(keeper, message);
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return has_state;
	if (!atomic_exchange(&keeper->is_gone, true))
		keeper->options.log(keeper->options.context,
			"the process plyfs-keep has ended: layers out of stores are not kept up to "
			"date any more; unmount and mount again");
	return has_state;
}

void keeper_reload(struct keeper *keeper)
{
	(void)send(keeper->socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
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
static bool is_fresh(const struct keeper *keeper, const struct store_spec *store)
{
	struct mirror_report report;

	if (!mirror_report_of(store->directory, &report))
		return false;
	bool is_there = report.pid > 1 && report.pid < INT_MAX &&
			(kill((pid_t)report.pid, 0) == 0 || errno == EPERM);
	bool is_so = report.is_connected && (is_there || report.contact >= (double)keeper->started);
	mirror_report_fini(&report);
	return is_so;
}

/* What the mirror, or who runs it, says of why there is nothing. */
static void put_reason(const struct keeper *keeper, const struct store_spec *store, char ret[REASON_MAX])
{
	struct mirror_report report;

	snprintf(ret, REASON_MAX, "%s",
		*keeper->last_line ? keeper->last_line : "nothing was heard of it");
	if (!mirror_report_of(store->directory, &report))
		return;
	if (mirror_report_listed(&report))
		snprintf(ret, REASON_MAX, "%s", mirror_report_trouble(&report, 0).message);
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
	const struct keeper *keeper, const struct layer_spec *spec, struct problem *problem)
{
	char reason[REASON_MAX];

	put_reason(keeper, spec->store, reason);
	return problem_at(problem, spec->place,
		"the layer '%s' has no state yet, after %.1f s: %s; %s, or give 'wait' for more "
		"time, or 'optional: true' for a mount that begins without the layer",
		spec->name, (double)spec->store->wait_ms / 1000, reason,
		has_network() ? "see to the store"
			      : "there is no network here, see SERVICE in plyfs(1)");
}

/* There is one, and it may be an old one. */
static void log_old(const struct keeper *keeper, const struct layer_spec *spec)
{
	char reason[REASON_MAX], line[PROBLEM_MESSAGE_MAX];

	put_reason(keeper, spec->store, reason);
	snprintf(line, sizeof(line),
		"the layer '%s' is as it was when the store was last heard of: %s", spec->name,
		reason);
	keeper->options.log(keeper->options.context, line);
}

/* Until the one layer may be shown. */
static int wait_for(struct keeper *keeper, const struct layer_spec *spec, bool wants_fresh,
	int64_t began, struct problem *problem)
{
	const struct store_spec *store = spec->store;

	while (!has_state(store) || (wants_fresh && !is_fresh(keeper, store))) {
		struct pollfd polled = {.fd = keeper->socket, .events = POLLIN};

		if (clock_ms() - began >= (int64_t)store->wait_ms) {
			if (!has_state(store))
				return complain(keeper, spec, problem);
			log_old(keeper, spec);
			return 0;
		}
		poll(&polled, 1, WAIT_STEP);
		if (polled.revents)
			keeper_take(keeper);
		if (keeper_is_gone(keeper))
			return -EPIPE;
	}
	return 0;
}

int keeper_wait(struct keeper *keeper, const struct settings *outline, bool is_fresh,
	struct problem *problem)
{
	int64_t began = clock_ms();
	int r = 0;

	for (size_t i = 0; r == 0 && i < outline->spec_count; i++) {
		const struct layer_spec *spec = &outline->specs[i];

		if (spec->store && !spec->optional)
			r = wait_for(keeper, spec, is_fresh, began, problem);
	}
	return r;
}

void keeper_freep(struct keeper **place)
{
	struct keeper *keeper = *place;

	if (!keeper)
		return;
	if (keeper->socket >= 0)
		close(keeper->socket);
	while (keeper->pid && waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(keeper);
}
