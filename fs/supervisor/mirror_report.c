#include "mirror_report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "store.h"
#include "text.h"

/* Maximum bytes of a report. One with as many faults as a mirror reports has a tenth of that. */
#define STATUS_MAX ((size_t)16 << 20)

int mirror_report_open(const char *directory)
{
	char link[PATH_MAX], target[PATH_MAX];
	size_t end = strlen(directory);

	/* With a slash behind it, the name is that of the directory to which the link leads. */
	while (end > 1 && directory[end - 1] == '/')
		end--;
	if (end >= sizeof(link))
		return -ENAMETOOLONG;
	snprintf(link, sizeof(link), "%.*s", (int)end, directory);
	ssize_t len = readlink(link, target, sizeof(target) - 1);
	if (len < 0)
		return errno == EINVAL ? -ENOENT : -errno;
	target[len] = '\0';
	char *slash = strrchr(target, '/');
	if (!slash || *target != '/')
		return -ENOENT;
	*slash = '\0';
	int fd = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int mirror_report_text(int state, char **ret, size_t *len)
{
	CLEANUP(closep) int fd = descriptor_open_file(state, STORE_STATUS_NAME);

	return fd < 0 ? fd : text_read(fd, STATUS_MAX, ret, len);
}

static bool is_running(int state)
{
	CLEANUP(closep) int fd = descriptor_open_file(state, STORE_LOCK_NAME);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/* Finds the process. The pid in the report is hostile input: the process must belong to the owner
 * of `state`. Returns a descriptor of its directory in /proc, and sets report->pid; or -1. */
static int find_process(int state, struct mirror_report *report)
{
	double pid = report_number(report->map, "pid");
	struct stat own, owner;
	char path[32];

	if (!(pid > 1 && pid < INT_MAX))
		return -1;
	/* The files in the directory may be root's, as a mirror's memory can't be dumped. */
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	CLEANUP(closep) int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0 || fstat(directory, &own) < 0 || fstat(state, &owner) < 0 ||
		own.st_uid != owner.st_uid)
		return -1;
	report->pid = (pid_t)pid;
	return take_fd(&directory);
}

/* Returns whether a signal or a debugger has stopped the process: proc(5). */
static bool is_stopped(int process)
{
	char line[512] = "";
	CLEANUP(closep) int fd = openat(process, "stat", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, line, sizeof(line) - 1) < 0)
		return false;
	/* The name of the program may contain brackets. */
	const char *end = strrchr(line, ')');
	return end && (strncmp(end, ") T", 3) == 0 || strncmp(end, ") t", 3) == 0);
}

static void find_idle(int state, struct mirror_report *report)
{
	if (!is_running(state)) {
		strcpy(report->idle, "no process is running");
		return;
	}
	CLEANUP(closep) int process = find_process(state, report);
	if (process >= 0 && is_stopped(process))
		snprintf(report->idle, MIRROR_IDLE_MAX, MIRROR_STOPPED, (int)report->pid,
			(int)report->pid);
}

int mirror_report_document(
	int state, const char *name, struct document **ret, struct problem *problem)
{
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(freep) char *text = NULL;
	const struct source source = {.name = name};
	const struct read_options options = {.format = &format_json};
	size_t len;

	int r = mirror_report_text(state, &text, &len);
	if (r == 0)
		r = document_read(&source, (struct span){text, len}, &options, &document, problem);
	if (r == 0 && (!document->count || !node_is_map(document->roots[0])))
		r = -ENODATA;
	if (r == 0)
		*ret = take_ptr(document);
	return r;
}

int mirror_report_read(
	int state, const char *name, struct mirror_report *ret, struct problem *problem)
{
	struct document *document;
	int r = mirror_report_document(state, name, &document, problem);

	if (r != 0)
		return r;
	const struct node *map = document->roots[0];
	*ret = (struct mirror_report){
		.document = document, .map = map, .faults = report_get(map, "troubles")};
	find_idle(state, ret);
	return 0;
}

bool mirror_report_is_connected(const struct mirror_report *report)
{
	return !*report->idle && report_is(report->map, "connected", "true");
}

void mirror_report_fini(struct mirror_report *report)
{
	document_free(report->document);
	*report = (struct mirror_report){0};
}

bool mirror_report_of(const char *directory, struct mirror_report *ret)
{
	CLEANUP(closep) int state = mirror_report_open(directory);
	struct problem ignored;

	return state >= 0 && mirror_report_read(state, directory, ret, &ignored) == 0;
}

void mirror_report_put(FILE *out, const char *name, const struct mirror_report *report)
{
	const struct node *map = report->map;
	const char *revision = report_text(map, "revision");

	fprintf(out, "%s: %s %s%s%s", name, report_text(map, "kind"), report_text(map, "source"),
		*revision ? " at " : ", no state yet", revision);
	if (*report->idle)
		fprintf(out, ", %s", report->idle);
	else
		fprintf(out, "%s%s",
			mirror_report_is_connected(report) ? " from " : ", not connected to ",
			report_text(map, "endpoint"));
	if (report_count(report->faults)) {
		const struct node *fault = report->faults->seq.items[0];
		fprintf(out, " (errors: %.0f, %s: %s)", report_number(map, "trouble_count"),
			report_text(fault, "subject"), report_text(fault, "message"));
	}
}
