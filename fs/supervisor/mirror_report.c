#include "mirror_report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "scalar.h"
#include "store.h"
#include "text.h"

/* Bytes of a status; one with all its troubles has a tenth. */
#define STATUS_MAX ((size_t)16 << 20)

int mirror_report_open(const char *directory)
{
	char target[PATH_MAX];
	ssize_t len = readlink(directory, target, sizeof(target) - 1);

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
	CLEANUP(closep)
	int fd = openat(state, STORE_STATUS_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : text_read(fd, STATUS_MAX, ret, len);
}

static bool is_running(int state)
{
	CLEANUP(closep)
	int fd = openat(state, STORE_LOCK_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

static const char *get_text(const struct node *map, const char *name)
{
	const struct node *node = node_get(map, name);

	return node && node_is_scalar(node) && !scalar_is_null(node) ? node->text.data : "";
}

static double get_number(const struct node *map, const char *name)
{
	const struct node *node = node_get(map, name);
	bool is_number = node && node_is_scalar(node) &&
			 (scalar_type(node) == SCALAR_INT || scalar_type(node) == SCALAR_FLOAT);

	return is_number ? scalar_number(node) : 0;
}

static void take(struct mirror_report *report, const struct node *map)
{
	const struct node *troubles = node_get(map, "troubles");

	report->kind = get_text(map, "kind");
	report->source = get_text(map, "source");
	report->revision = get_text(map, "revision");
	report->endpoint = get_text(map, "endpoint");
	report->offer = get_text(map, "offer");
	report->pid = get_number(map, "pid");
	report->files = get_number(map, "files");
	report->changed = get_number(map, "changed");
	report->contact = get_number(map, "contact");
	report->sandbox = node_get(map, "sandbox");
	report->trouble_count = get_number(map, "trouble_count");
	report->troubles = troubles && node_is_sequence(troubles) ? troubles : NULL;
	report->is_connected =
		report->is_running && strcmp(get_text(map, "connected"), "true") == 0;
}

int mirror_report_read(
	int state, const char *name, struct mirror_report *ret, struct problem *problem)
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
	if (r != 0)
		return r;
	*ret = (struct mirror_report){.document = document, .is_running = is_running(state)};
	take(ret, document->roots[0]);
	document = NULL;
	return 0;
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

uint32_t mirror_report_listed(const struct mirror_report *report)
{
	return report->troubles ? report->troubles->seq.count : 0;
}

struct mirror_trouble_report mirror_report_trouble(const struct mirror_report *report, uint32_t i)
{
	const struct node *trouble = report->troubles->seq.items[i];

	if (!node_is_map(trouble))
		return (struct mirror_trouble_report){"", "", 0};
	return (struct mirror_trouble_report){get_text(trouble, "subject"),
		get_text(trouble, "message"), get_number(trouble, "since")};
}
