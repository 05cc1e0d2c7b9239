#include "mirror_status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"
#include "document.h"
#include "hash.h"
#include "json_put.h"
#include "text.h"

#define NEW_NAME "status.new"

static void fault_fini(struct mirror_fault *fault)
{
	free(fault->subject);
	free(fault->message);
}

void mirror_status_fini(struct mirror_status *status)
{
	for (size_t i = 0; i < status->fault_count; i++)
		fault_fini(&status->faults[i]);
	free(status->faults);
	status->faults = NULL;
	status->fault_count = 0;
}

static struct mirror_fault *find(struct mirror_status *status, const char *subject)
{
	for (size_t i = 0; i < status->fault_count; i++)
		if (strcmp(status->faults[i].subject, subject) == 0)
			return &status->faults[i];
	return NULL;
}

static bool add(struct mirror_status *status, const char *subject, const char *message)
{
	struct mirror_fault fault = {.since = time(NULL)};
	bool is_full = status->fault_count >= MIRROR_FAULTS_MAX && strchr(subject, ' ');

	if (!is_full &&
		array_grow(status->faults, status->fault_count, status->fault_capacity) == 0) {
		fault.subject = strdup(subject);
		fault.message = strdup(message);
	}
	if (fault.subject && fault.message) {
		status->faults[status->fault_count++] = fault;
		return true;
	}
	fault_fini(&fault);
	uint64_t hash = hash_bytes(hash_seed(), span_of(subject));
	status->unlisted += status->sweep && hash != status->uncounted;
	status->uncounted = hash;
	return false;
}

bool mirror_status_fault(struct mirror_status *status, const char *subject, const char *message)
{
	struct mirror_fault *fault = find(status, subject);
	char *copy;

	if (!fault)
		return add(status, subject, message);
	fault->is_swept = false;
	if (strcmp(fault->message, message) == 0)
		return false;
	copy = strdup(message);
	if (copy) {
		free(fault->message);
		fault->message = copy;
	}
	return true;
}

static void drop(struct mirror_status *status, struct mirror_fault *fault)
{
	fault_fini(fault);
	*fault = status->faults[--status->fault_count];
}

bool mirror_status_mend(struct mirror_status *status, const char *subject)
{
	struct mirror_fault *fault = find(status, subject);

	if (fault)
		drop(status, fault);
	return fault;
}

void mirror_status_sweep_begin(struct mirror_status *status, const char *prefix)
{
	status->sweep = prefix;
	status->unlisted = status->uncounted = 0;
	for (size_t i = 0; i < status->fault_count; i++)
		status->faults[i].is_swept =
			strncmp(status->faults[i].subject, prefix, strlen(prefix)) == 0;
}

void mirror_status_sweep_end(struct mirror_status *status)
{
	status->sweep = NULL;
	for (size_t i = status->fault_count; i-- > 0;)
		if (status->faults[i].is_swept)
			drop(status, &status->faults[i]);
}

static void take_word(const struct node *map, const char *name, char ret[MIRROR_WORD_MAX])
{
	const char *text = report_text(map, name);

	if (strlen(text) < MIRROR_WORD_MAX)
		strcpy(ret, text);
}

int mirror_status_read(struct mirror_status *status, struct problem *problem)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct problem ignored;

	/* Without the status only the tree itself is known, for example after the disk was full. */
	if (mirror_report_document(status->fd, STORE_STATUS_NAME, &document, &ignored) != 0)
		return 0;
	const struct node *map = document->roots[0];
	const struct node *named = report_get(map, "source");
	const char *kind = report_text(map, "kind"), *source = report_text(map, "source");
	if (!named || !node_is_scalar(named))
		return 0;
	if (strcmp(kind, status->kind) != 0 || strcmp(source, status->source) != 0)
		return problem_set(problem, status->directory, 0, 0,
			"is a mirror of %s %s; give another directory, or remove its state to "
			"begin "
			"anew",
			kind, source);
	take_word(map, "identity", status->identity);
	take_word(map, "revision", status->revision);
	take_word(map, "endpoint", status->endpoint);
	status->changed = (time_t)report_number(map, "changed");
	status->contact = (time_t)report_number(map, "contact");
	return 0;
}

static void put_faults(struct json *out, const struct mirror_status *status)
{
	json_put(out, ",\n 'trouble_count': %zu,\n 'troubles': [",
		status->fault_count + status->unlisted);
	for (size_t i = 0; i < status->fault_count; i++) {
		const struct mirror_fault *fault = &status->faults[i];

		json_put(out, ",\n  {'subject': %s, 'message': %s, 'since': %lld}", fault->subject,
			fault->message, (long long)fault->since);
	}
	json_put(out, "]}\n");
}

static void put_access(struct json *out, const struct mirror_access *access)
{
	json_put(out, ",\n 'access': {");
	for (; access && access->name; access++)
		if (access->text)
			json_put(out, ", %s: %s", access->name, access->text);
	json_put(out, "}");
}

static void put(struct json *out, const struct mirror_status *status)
{
	json_put(out, "{'kind': %s,\n 'source': %s,\n 'directory': %s", status->kind,
		status->source, status->directory);
	put_access(out, status->access);
	json_put(out, ",\n 'pid': %ld,\n 'identity': %s,\n 'revision': %s,\n 'endpoint': %s",
		(long)getpid(), status->identity, status->revision, status->endpoint);
	json_put(out, ",\n 'offer': %s,\n 'files': %zu,\n 'changed': %lld,\n 'contact': %lld",
		*status->offer ? status->offer : NULL, status->files, (long long)status->changed,
		(long long)status->contact);
	json_put(out, ",\n 'connected': %hhd,\n 'sandbox': ", status->is_connected);
	sandbox_put(out, &status->sandbox);
	put_faults(out, status);
}

static int replace(int fd, const char *text, size_t len)
{
	int r = 0;

	(void)unlinkat(fd, NEW_NAME, 0);
	CLEANUP(closep)
	int file = openat(fd, NEW_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (file < 0)
		return -errno;
	r = text_write(file, text, len);
	if (r == 0 && renameat(fd, NEW_NAME, fd, STORE_STATUS_NAME) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(fd, NEW_NAME, 0);
	return r;
}

int mirror_status_write(const struct mirror_status *status)
{
	CLEANUP(freep) char *text = NULL;
	size_t len;
	struct json out = {.file = open_memstream(&text, &len)};

	if (!out.file)
		return -ENOMEM;
	put(&out, status);
	if (fclose(out.file) != 0)
		return -ENOMEM;
	return replace(status->fd, text, len);
}
