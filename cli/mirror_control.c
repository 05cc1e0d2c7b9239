#include "mirror_control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "message.h"
#include "mirror.h"
#include "mirror_report.h"
#include "report_print.h"
#include "text.h"

/*
 * Opens STATE, which contains the target of the mirror's link. Returns a descriptor; -ENOENT: there
 * is no mirror.
 */
static int open_state(const char *directory, const char *state)
{
	if (!state)
		return mirror_report_open(directory);
	int fd = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int complain(const char *directory, int error)
{
	return message_at(directory, "%s",
		error == -ENOENT
			? "is no mirror; 'plyfs mirror etcd' and 'plyfs mirror git' make one"
			: text_error(error));
}

/* Prints "3 s", "5 min", "2 h", "9 days". */
static void print_age(double seconds)
{
	if (seconds < 0)
		seconds = 0;
	if (seconds < 120)
		printf("%.0f s", seconds);
	else if (seconds < 7200)
		printf("%.0f min", seconds / 60);
	else if (seconds < 172800)
		printf("%.0f h", seconds / 3600);
	else
		printf("%.0f days", seconds / 86400);
}

static double age_of(double then)
{
	return then > 0 ? (double)time(NULL) - then : -1;
}

static void print_times(const struct mirror_report *report)
{
	double changed = age_of(report_number(report->map, "changed"));
	double contact = age_of(report_number(report->map, "contact"));

	report_put(report->map, "  files       {#files}");
	if (changed >= 0) {
		printf(", changed ");
		print_age(changed);
		printf(" ago");
	}
	printf("\n  lag         ");
	if (report->is_connected)
		puts("none");
	else if (contact < 0)
		puts("the store has not answered yet");
	else {
		print_age(contact);
		puts(" since the store last answered");
	}
}

static void print_faults(const struct mirror_report *report)
{
	uint32_t count = report_count(report->faults);
	double all = report_number(report->map, "trouble_count");

	for (uint32_t i = 0; i < count; i++) {
		const struct node *fault = report->faults->seq.items[i];

		printf("  %-12s", i ? "" : "errors");
		report_put(fault, "{subject}: {message} (for ");
		print_age(age_of(report_number(fault, "since")));
		puts(")");
	}
	if (all > count)
		printf("  %-12sand %.0f more\n", "", all - count);
}

static void print_status(const char *directory, const struct mirror_report *report)
{
	const struct node *map = report->map;

	report_print(directory);
	report_put(map, ": a mirror of {kind} {source}");
	report_put(map, report->is_running ? ", process {#pid}\n"
					   : ", not kept up to date: no process is running\n");
	report_put(map, *report_text(map, "revision") ? "  revision    {revision}\n" : "");
	report_put(map, *report_text(map, "endpoint") ? "  endpoint    {endpoint}\n" : "");
	print_times(report);
	report_print_sandbox(14, report_get(map, "sandbox"));
	print_faults(report);
}

static int read_report(const char *directory, int fd, struct mirror_report *ret)
{
	struct problem problem;
	int r = mirror_report_read(fd, directory, ret, &problem);

	if (r < 0)
		return complain(directory, r);
	return r == 0 ? EXIT_DONE : message_result(r, &problem, directory);
}

int mirror_control_status(const char *directory, const char *state, bool is_raw)
{
	CLEANUP(mirror_report_fini) struct mirror_report report = {0};
	CLEANUP(freep) char *text = NULL;
	CLEANUP(closep) int fd = open_state(directory, state);
	size_t len;

	if (fd < 0)
		return complain(directory, fd);
	if (is_raw) {
		int r = mirror_report_text(fd, &text, &len);
		return r < 0 ? complain(directory, r) : command_print(text, len);
	}
	int code = read_report(directory, fd, &report);
	if (code == EXIT_DONE)
		print_status(directory, &report);
	return code;
}

/* Writes a new file and renames it, so that the mirror never reads half of it. */
static int write_confirmation(int fd, const char *offer)
{
	static const char name[] = MIRROR_CONFIRM_NAME ".new";
	CLEANUP(closep)
	int file = openat(fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);

	int r = file < 0 ? -errno : text_write(file, offer, strlen(offer));
	if (r == 0 && renameat(fd, name, fd, MIRROR_CONFIRM_NAME) < 0)
		r = -errno;
	return r;
}

int mirror_control_confirm(const char *directory, const char *state)
{
	CLEANUP(mirror_report_fini) struct mirror_report report = {0};
	CLEANUP(closep) int fd = open_state(directory, state);

	if (fd < 0)
		return complain(directory, fd);
	int code = read_report(directory, fd, &report);
	if (code != EXIT_DONE)
		return code;
	const char *offer = report_text(report.map, "offer");
	double pid = report_number(report.map, "pid");
	if (!*offer)
		return message_at(
			directory, "nothing is held back, so there is nothing to confirm");
	int r = write_confirmation(fd, offer);
	if (r < 0)
		return complain(directory, r);
	/* A mirror that is not running finds the confirmation at its next start. */
	if (report.is_running && pid > 1 && pid < INT_MAX)
		(void)kill((pid_t)pid, SIGHUP);
	return EXIT_DONE;
}
