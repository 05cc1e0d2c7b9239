#include "take_over.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "command.h"
#include "descriptor.h"
#include "document.h"
#include "forked.h"
#include "handover.h"
#include "message.h"
#include "plyfs_mount.h"
#include "report.h"
#include "text.h"

/* How often the status is read, in ms. */
#define LOOK_MS 20

/* Longer than a trial and the new program may take. */
#define WAIT_MS (TRIAL_MS + HANDOVER_S * 1000 + 10000)

struct daemon_status {
	pid_t pid;
	double tried;               /* number of take-overs */
	char error[TRIAL_TEXT_MAX]; /* why the last one failed; "": it has not */
};

static int read_status(const char *mountpoint, struct daemon_status *ret)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct problem problem;
	int r = plyfs_mount_report(mountpoint, NULL, &document, &problem);

	if (r != 0)
		return r < 0 ? r : -EBADMSG;
	ret->pid = (pid_t)report_number(document->roots[0], "pid");
	ret->tried = report_number(document->roots[0], "take_over.tried");
	snprintf(ret->error, TRIAL_TEXT_MAX, "%s",
		report_text(document->roots[0], "take_over.error"));
	return 0;
}

static int wait_for_result(const char *mountpoint, int pidfd, double before)
{
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};
	int64_t end_ms = clock_ms() + WAIT_MS;
	struct daemon_status now;

	while (poll(&ended, 1, LOOK_MS) == 0 && clock_ms() < end_ms) {
		if (read_status(mountpoint, &now) < 0 || now.tried == before)
			continue;
		return *now.error
			       ? message("%s: %s; the running plyfs goes on", mountpoint, now.error)
			       : EXIT_DONE;
	}
	return message("%s: %s", mountpoint,
		ended.revents ? "the plyfs that served it has ended; mount it again"
			      : "the running plyfs has not answered");
}

/*
 * Whether the process is a plyfs that we may signal. That is good enough for advice: only the lock
 * proves that it serves the mount.
 */
static bool is_plyfs_of_ours(pid_t pid)
{
	char name[FORKED_NAME_MAX];

	forked_name(pid, name);
	return strcmp(name, "plyfs") == 0 && kill(pid, 0) == 0;
}

static int complain(const char *mountpoint, const struct daemon_status *status)
{
	const char *base = geteuid() == 0 ? "/run" : "$XDG_RUNTIME_DIR";

	if (is_plyfs_of_ours(status->pid))
		return message(
			"%s: the process %d serves it, but has no lock in %s/plyfs, by which this "
			"command finds a process: %s can't be used, or could not when it was "
			"mounted; have it take over with 'kill -USR2 %d'",
			mountpoint, (int)status->pid, base, base, (int)status->pid);
	return message("%s: no plyfs of yours serves it; give its mountpoint, as the user who "
		       "mounted it",
		mountpoint);
}

int take_over(const char *mountpoint)
{
	struct daemon_status before = {0};
	struct stat found;

	if (stat(mountpoint, &found) < 0)
		return message_result(-errno, NULL, mountpoint);
	pid_t pid = handover_server(found.st_dev);
	CLEANUP(closep) int pidfd = pid > 0 ? pidfd_open(pid, 0) : -1;
	int r = read_status(mountpoint, &before);
	if (r == -ENOTCONN || (r < 0 && pidfd >= 0))
		return message_result(r, NULL, mountpoint);
	/* The number may be another process's by now; the descriptor stays the daemon's. */
	if (pidfd < 0 || handover_server(found.st_dev) != pid ||
		pidfd_send_signal(pidfd, SIGUSR2, NULL, 0) < 0)
		return complain(mountpoint, &before);
	return wait_for_result(mountpoint, pidfd, before.tried);
}
