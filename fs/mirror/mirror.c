#include "mirror.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "backoff.h"
#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"
#include "text.h"

/* Made random, as all mirrors must not return to a recovering store at once. */
static const struct backoff pause_ms = {250, 15000};

/* Size of a line of the log, in bytes. */
#define LINE_MAX_BYTES 2048

unsigned mirror_jitter(unsigned ms)
{
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = (uint32_t)clock_ms() * 2654435761u;
	return ms - ms / 4 + random % (ms / 2 + 1);
}

unsigned mirror_pause(struct mirror *mirror, unsigned endpoints)
{
	unsigned rounds = mirror->attempts++ / endpoints;

	return rounds ? mirror_jitter(backoff_pause(&pause_ms, rounds)) : 1;
}

bool mirror_is_woken(struct mirror *mirror)
{
	struct signalfd_siginfo info;
	bool is_woken = false;

	while (read(mirror->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		is_woken = true;
	return is_woken;
}

bool mirror_sleep(struct mirror *mirror, unsigned ms)
{
	struct pollfd poll_fd = {.fd = mirror->signal_fd, .events = POLLIN};

	(void)poll(&poll_fd, 1, (int)ms);
	return mirror_is_woken(mirror);
}

static void say(struct mirror *mirror, const char *line)
{
	if (mirror->options.log)
		mirror->options.log(mirror->options.context, line);
}

/* Sends the service manager one line, and once that the mirror is ready. */
static void notify(struct mirror *mirror)
{
	const struct mirror_status *status = &mirror->status;
	char text[LINE_MAX_BYTES];

	if (!mirror->options.notify)
		return;
	bool is_ready = replica_is_filled(mirror->replica) && !mirror->is_ready;
	mirror->is_ready |= is_ready;
	snprintf(text, sizeof(text), "%sSTATUS=%s %s, %zu files, %s %s; errors: %zu%s%s",
		is_ready ? "READY=1\n" : "", *status->revision ? "at" : "no state yet",
		status->revision, status->files, status->is_connected ? "from" : "not connected to",
		*status->endpoint ? status->endpoint : status->kind,
		status->fault_count + status->unlisted, status->fault_count ? ": " : "",
		status->fault_count ? status->faults[0].message : "");
	mirror->options.notify(mirror->options.context, text);
}

void mirror_put_status(struct mirror *mirror)
{
	mirror->status.files = replica_count(mirror->replica);
	/* On a full disk the old status stays; the log has the news. */
	(void)mirror_status_write(&mirror->status);
	notify(mirror);
}

void mirror_fault(struct mirror *mirror, const char *subject, const char *format, ...)
{
	char message[PROBLEM_MESSAGE_MAX], line[LINE_MAX_BYTES];
	struct problem clean;
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	problem_set(&clean, NULL, 0, 0, "%s", n < 0 ? "the message can't be formatted" : message);
	if (!mirror_status_fault(&mirror->status, subject, clean.message))
		return;
	snprintf(line, sizeof(line), "%s: %s", subject, clean.message);
	say(mirror, line);
	mirror_put_status(mirror);
}

void mirror_mend(struct mirror *mirror, const char *subject)
{
	char line[LINE_MAX_BYTES];

	if (!mirror_status_mend(&mirror->status, subject))
		return;
	snprintf(line, sizeof(line), "%s: works again", subject);
	say(mirror, line);
	mirror_put_status(mirror);
}

void mirror_read_confirmation(struct mirror *mirror, char ret[MIRROR_WORD_MAX])
{
	CLEANUP(freep) char *text = NULL;
	size_t len;
	CLEANUP(closep)
	int fd = descriptor_open_file(replica_state_fd(mirror->replica), MIRROR_CONFIRM_NAME);

	*ret = '\0';
	if (fd >= 0 && text_read(fd, MIRROR_WORD_MAX - 1, &text, &len) == 0)
		snprintf(ret, MIRROR_WORD_MAX, "%.*s", (int)strcspn(text, "\n"), text);
}

int mirror_hold(struct mirror *mirror, const char *offer, const char *format, ...)
{
	char message[PROBLEM_MESSAGE_MAX / 2];
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	snprintf(mirror->status.offer, MIRROR_WORD_MAX, "%s", offer);
	mirror_fault(mirror, "suspicion",
		"%s; the present state stays. If that is meant: plyfs mirror confirm %s",
		n < 0 ? "the new state is suspicious" : message, mirror->status.directory);
	return MIRROR_HELD;
}

int mirror_publish(struct mirror *mirror, const char *offer)
{
	size_t before = replica_count(mirror->replica);
	struct tree_difference difference;

	int r = replica_compare(mirror->replica, &difference);
	if (r == 0 && offer && difference.removed * 100 > before * mirror->options.max_delete) {
		replica_discard(mirror->replica);
		return mirror_hold(mirror, offer, "%zu of %zu files would go away at once",
			difference.removed, before);
	}
	bool is_same = r == 0 && replica_is_filled(mirror->replica) &&
		       !(difference.changed + difference.added + difference.removed);
	if (r == 0 && !is_same)
		r = replica_publish(mirror->replica, &difference);
	if (r == 0 && is_same)
		replica_put_back(mirror->replica);
	if (r < 0)
		replica_discard(mirror->replica);
	if (r == 0 && !is_same)
		mirror->status.changed = time(NULL);
	return r;
}

void mirror_answered(struct mirror *mirror)
{
	mirror->status.contact = time(NULL);
	mirror->status.is_connected = true;
	mirror_mend(mirror, "store");
	mirror_put_status(mirror);
}

void mirror_took(struct mirror *mirror, const char *revision, bool is_changed)
{
	struct mirror_status *status = &mirror->status;

	snprintf(status->revision, sizeof(status->revision), "%s", revision);
	if (is_changed)
		status->changed = time(NULL);
	*status->offer = '\0';
	(void)unlinkat(replica_state_fd(mirror->replica), MIRROR_CONFIRM_NAME, 0);
	mirror_mend(mirror, "suspicion");
	(void)mirror_status_mend(status, "disk");
	mirror_answered(mirror);
}

void mirror_freep(struct mirror **mirror)
{
	if (!*mirror)
		return;
	replica_freep(&(*mirror)->replica);
	mirror_status_fini(&(*mirror)->status);
	if ((*mirror)->signal_fd >= 0)
		close((*mirror)->signal_fd);
	free(*mirror);
}

static int take_signals(struct mirror *mirror)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	mirror->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return mirror->signal_fd < 0 ? -errno : 0;
}

static int enter_sandbox(struct mirror *mirror, struct problem *problem)
{
	const char *directory = replica_directory(mirror->replica);
	const char *slash = strrchr(directory, '/');
	CLEANUP(freep)
	char *beside = strndup(directory, slash == directory ? 1 : (size_t)(slash - directory));

	if (!beside)
		return -ENOMEM;
	return sandbox_enter_mirror(&mirror->options.switches, replica_state_fd(mirror->replica),
		beside, &mirror->status.sandbox, problem);
}

int mirror_open(const struct mirror_options *options, const char *kind, const char *source,
	struct mirror **ret, struct problem *problem)
{
	CLEANUP(mirror_freep) struct mirror *mirror = calloc(1, sizeof(*mirror));

	if (!mirror)
		return -ENOMEM;
	mirror->options = *options;
	mirror->signal_fd = -1;
	int r = take_signals(mirror);
	if (r == 0)
		r = replica_open(&options->replica, &mirror->replica, problem);
	if (r == 0)
		r = enter_sandbox(mirror, problem);
	if (r != 0)
		return r;
	mirror->status.fd = replica_state_fd(mirror->replica);
	mirror->status.kind = kind;
	mirror->status.source = source;
	mirror->status.directory = options->replica.directory;
	mirror->status.access = options->access;
	r = mirror_status_read(&mirror->status, problem);
	if (r != 0)
		return r;
	if (!replica_is_filled(mirror->replica))
		*mirror->status.revision = *mirror->status.identity = '\0';
	mirror_put_status(mirror);
	*ret = take_ptr(mirror);
	return 0;
}
