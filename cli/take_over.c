#include "take_over.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "clock.h"
#include "command.h"
#include "descriptor.h"
#include "document.h"
#include "handover.h"
#include "message.h"
#include "plyfs_mount.h"
#include "report.h"
#include "text.h"

/* How often the status is read, in ms. */
#define LOOK_MS 20

/* Longer than a trial and the new program may take. */
#define WAIT_MS (TRIAL_MS + HANDOVER_S * 1000 + 10000)

/* Reads how many take-overs were tried, and why the last one failed ("": it has not). */
static int read_tried(const char *mountpoint, double *tried, char error[TRIAL_TEXT_MAX])
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct problem problem;
	int r = plyfs_mount_report(mountpoint, &document, &problem);

	if (r != 0 || document->count == 0)
		return r < 0 ? r : -EBADMSG;
	*tried = report_number(document->roots[0], "take_over.tried");
	snprintf(error, TRIAL_TEXT_MAX, "%s", report_text(document->roots[0], "take_over.error"));
	return 0;
}

/* Waits for the result of the take-over that comes after `before`. */
static int wait_for_result(const char *mountpoint, int pidfd, double before)
{
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};
	int64_t end_ms = clock_ms() + WAIT_MS;
	char error[TRIAL_TEXT_MAX];
	double tried = before;

	while (poll(&ended, 1, LOOK_MS) == 0 && clock_ms() < end_ms) {
		if (read_tried(mountpoint, &tried, error) < 0 || tried == before)
			continue;
		if (*error)
			message("%s: %s; the running plyfs goes on", mountpoint, error);
		return *error ? EXIT_FAILED : EXIT_DONE;
	}
	message("%s: %s", mountpoint,
		ended.revents ? "the plyfs that served it has ended; mount it again"
			      : "the running plyfs has not answered");
	return EXIT_FAILED;
}

int take_over(const char *mountpoint)
{
	char error[TRIAL_TEXT_MAX];
	struct stat found;
	double before;

	if (stat(mountpoint, &found) < 0)
		return message_result(-errno, NULL, mountpoint);
	pid_t pid = handover_server(found.st_dev);
	CLEANUP(closep) int pidfd = pid > 0 ? pidfd_open(pid, 0) : -1;
	int r = pidfd < 0 ? 0 : read_tried(mountpoint, &before, error);
	if (r < 0)
		return message_result(r, NULL, mountpoint);
	/* The number may be another process's by now; the descriptor stays the daemon's. */
	if (pidfd < 0 || handover_server(found.st_dev) != pid ||
		pidfd_send_signal(pidfd, SIGUSR2, NULL, 0) < 0) {
		message("%s: no plyfs of yours serves it; give its mountpoint, as the user who "
			"mounted it",
			mountpoint);
		return EXIT_FAILED;
	}
	return wait_for_result(mountpoint, pidfd, before);
}
