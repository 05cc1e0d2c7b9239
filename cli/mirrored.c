#include "mirrored.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "document.h"
#include "message.h"
#include "mirror.h"
#include "report.h"
#include "text.h"

/* Bytes of a status. */
#define STATUS_MAX ((size_t)16 << 20)

/* Opens STATE: the directory that the link leads to is in it. A descriptor; -ENOENT: no mirror. */
static int open_state(const char *directory, const char *state)
{
	char target[PATH_MAX];
	int fd;

	if (state) {
		fd = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	ssize_t len = readlink(directory, target, sizeof(target) - 1);
	if (len < 0)
		return errno == EINVAL ? -ENOENT : -errno;
	target[len] = '\0';
	char *slash = strrchr(target, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	fd = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int complain(const char *directory, int error)
{
	message("%s: %s", directory,
		error == -ENOENT
			? "is no mirror; 'plyfs mirror etcd' and 'plyfs mirror git' make one"
			: strerror(-error));
	return EXIT_FAILED;
}

/* The status as it is on the disk. Returns 0 with *ret for free(3), or -errno. */
static int read_status(int fd, char **ret, size_t *ret_len)
{
	CLEANUP(closep)
	int file = openat(fd, MIRROR_STATUS_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return file < 0 ? -errno : text_read(file, STATUS_MAX, ret, ret_len);
}

/* Whether somebody keeps the mirror up to date. */
static bool is_running(int fd)
{
	CLEANUP(closep) int lock = openat(fd, "lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	return lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/* "3 s", "5 min", "2 h", "9 days" */
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

static double age_of(const struct node *status, const char *name)
{
	double then = report_number(report_get(status, name, NULL));

	return then > 0 ? (double)time(NULL) - then : -1;
}

static void print_field(const char *name, const char *text)
{
	if (!*text)
		return;
	printf("  %-12s", name);
	report_print(text);
	putchar('\n');
}

static void print_times(const struct node *status, bool is_connected)
{
	double changed = age_of(status, "changed"), contact = age_of(status, "contact");

	printf("  %-12s", "files");
	report_print(report_text(report_get(status, "files", NULL)));
	if (changed >= 0) {
		printf(", changed ");
		print_age(changed);
		printf(" ago");
	}
	printf("\n  %-12s", "lag");
	if (is_connected)
		puts("none");
	else if (contact < 0)
		puts("nothing was heard of the store yet");
	else {
		print_age(contact);
		puts(" since the store was last heard of");
	}
}

static void print_troubles(const struct node *status)
{
	const struct node *troubles = report_get(status, "troubles", NULL);
	double count = report_number(report_get(status, "trouble_count", NULL));

	for (uint32_t i = 0; i < report_count(troubles); i++) {
		const struct node *trouble = troubles->seq.items[i];

		printf("  %-12s", i ? "" : "troubles");
		report_print(report_text(report_get(trouble, "subject", NULL)));
		printf(": ");
		report_print(report_text(report_get(trouble, "message", NULL)));
		printf(" (for ");
		print_age(age_of(trouble, "since"));
		puts(")");
	}
	if (count > report_count(troubles))
		printf("  %-12sand %.0f more\n", "", count - report_count(troubles));
}

static void print_status(const char *directory, const struct node *status, bool is_kept)
{
	bool is_connected =
		is_kept && strcmp(report_text(report_get(status, "connected", NULL)), "true") == 0;

	report_print(directory);
	printf(": a mirror of ");
	report_print(report_text(report_get(status, "kind", NULL)));
	putchar(' ');
	report_print(report_text(report_get(status, "source", NULL)));
	if (is_kept)
		printf(", process %.0f\n", report_number(report_get(status, "pid", NULL)));
	else
		puts(", which nobody keeps up to date: no process is running");
	print_field("revision", report_text(report_get(status, "revision", NULL)));
	print_field("endpoint", report_text(report_get(status, "endpoint", NULL)));
	print_times(status, is_connected);
	print_troubles(status);
}

static int read_report(const char *directory, int fd, struct document **ret)
{
	CLEANUP(freep) char *text = NULL;
	const struct source source = {.name = directory};
	const struct read_options options = {.format = &format_json};
	struct problem problem;
	size_t len;

	int r = read_status(fd, &text, &len);
	if (r < 0)
		return complain(directory, r);
	r = document_read(&source, (struct span){text, len}, &options, ret, &problem);
	if (r == 0 && !(*ret)->count)
		return complain(directory, -ENODATA);
	return r == 0 ? EXIT_DONE : message_result(r, &problem, directory);
}

int mirrored_status(const char *directory, const char *state, bool is_raw)
{
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(freep) char *text = NULL;
	CLEANUP(closep) int fd = open_state(directory, state);
	size_t len;

	if (fd < 0)
		return complain(directory, fd);
	if (is_raw) {
		int r = read_status(fd, &text, &len);
		return r < 0 ? complain(directory, r) : command_print(text, len);
	}
	int code = read_report(directory, fd, &document);
	if (code == EXIT_DONE)
		print_status(directory, document->roots[0], is_running(fd));
	return code;
}

/* Written beside and renamed, so that the mirror never reads half of it. */
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

int mirrored_confirm(const char *directory, const char *state)
{
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(closep) int fd = open_state(directory, state);

	if (fd < 0)
		return complain(directory, fd);
	int code = read_report(directory, fd, &document);
	if (code != EXIT_DONE)
		return code;
	const char *offer = report_text(report_get(document->roots[0], "offer", NULL));
	if (!*offer || strcmp(offer, "null") == 0) {
		message("%s: nothing is held back, so there is nothing to confirm", directory);
		return EXIT_FAILED;
	}
	int r = write_confirmation(fd, offer);
	if (r < 0)
		return complain(directory, r);
	double pid = report_number(report_get(document->roots[0], "pid", NULL));
	/* When it is not running it finds the confirmation at its next start. */
	if (is_running(fd) && pid > 1 && pid < INT_MAX)
		(void)kill((pid_t)pid, SIGHUP);
	return EXIT_DONE;
}
