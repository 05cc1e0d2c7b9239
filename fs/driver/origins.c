#include "origins.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "driver.h"
#include "explain.h"
#include "json_put.h"
#include "path.h"
#include "worker.h"

/* The view's numbers, counted or made from the hash of a path, are below this one. */
#define ORIGINS_INO_FIRST ((uint64_t)1 << 63)

struct origins_directory {
	struct origins_directory *next;
	uint64_t ino;
	uint64_t lookups; /* of the kernel, which it has not forgotten */
	char path[];      /* in the tree; "" is the root */
};

bool origins_is_directory(uint64_t ino)
{
	return ino >= ORIGINS_INO_FIRST;
}

void origins_forget(struct origins_directories *origins, uint64_t ino, uint64_t count)
{
	for (struct origins_directory **link = &origins->first; *link; link = &(*link)->next) {
		struct origins_directory *directory = *link;

		if (directory->ino != ino)
			continue;
		directory->lookups -= count < directory->lookups ? count : directory->lookups;
		if (directory->lookups == 0) {
			*link = directory->next;
			free(directory);
		}
		break;
	}
}

void origins_fini(struct origins_directories *origins)
{
	while (origins->first) {
		struct origins_directory *directory = origins->first;

		origins->first = directory->next;
		free(directory);
	}
}

void origins_put(const struct origins_directories *origins, struct record *record)
{
	uint64_t count = 0;

	record_put(record, origins->made);
	size_t place = record_put_count(record);
	for (const struct origins_directory *directory = origins->first; directory;
		directory = directory->next) {
		record_put_text(record, directory->path);
		record_put(record, directory->ino);
		record_put(record, directory->lookups);
		count++;
	}
	record_set_count(record, place, count);
}

/* Adds a directory without a number. NULL: no memory. */
static struct origins_directory *make_directory(
	struct origins_directories *origins, const char *path)
{
	size_t size = strlen(path) + 1;
	struct origins_directory *directory = calloc(1, sizeof(*directory) + size);

	if (!directory)
		return NULL;
	memcpy(directory->path, path, size);
	directory->next = origins->first;
	origins->first = directory;
	return directory;
}

int origins_take(struct origins_directories *origins, struct record *record)
{
	origins->made = record_get_below(record, ORIGINS_INO_FIRST - 1);
	size_t count = record_get_count(record, 3 * sizeof(uint64_t));
	for (size_t i = 0; i < count && !record_error(record); i++) {
		CLEANUP(freep) char *path = record_get_text(record);
		struct origins_directory *directory = make_directory(origins, path ? path : "");

		if (!directory)
			return -ENOMEM;
		directory->ino = record_get(record);
		directory->lookups = record_get(record);
		if (!path || !origins_is_directory(directory->ino))
			record_spoil(record);
	}
	return 0;
}

/* Counts a lookup. The directory keeps its number while the kernel knows it. 0 or -ENOMEM. */
static int hold_directory(struct origins_directories *origins, const char *path, uint64_t *ret)
{
	struct origins_directory *directory = origins->first;

	while (directory && strcmp(directory->path, path) != 0)
		directory = directory->next;
	if (!directory)
		directory = make_directory(origins, path);
	if (!directory)
		return -ENOMEM;
	if (!directory->ino)
		directory->ino = ORIGINS_INO_FIRST + origins->made++;
	directory->lookups++;
	*ret = directory->ino;
	return 0;
}

/* Makes "PATH/NAME". Returns 0 with *ret for free(3), or -errno. */
static int join(
	const struct origins_directories *origins, uint64_t parent, const char *name, char **ret)
{
	const struct origins_directory *directory = origins->first;

	while (directory && directory->ino != parent)
		directory = directory->next;
	if (!directory)
		return -ESTALE;
	if (strlen(directory->path) + strlen(name) + 2 > PATH_MAX)
		return -ENAMETOOLONG;
	return path_join(directory->path, name, ret);
}

/* Writes the fault of a file that does not merge, in the same form. */
static void put_problem(FILE *out, const char *path, const struct problem *problem)
{
	json_put(JSON(out),
		"{\n  'path': %s,\n  'kind': 'error',\n  'error': {'file': %s, 'line': %u, "
		"'column': %u, 'message': %s}\n}\n",
		path, problem->source, problem->line, problem->column, problem->message);
}

static int explain_path(const struct offline *offline, const char *path, FILE *out)
{
	struct explanation *explanation = NULL;
	struct problem problem;
	int r = explain(offline, path, &explanation, &problem);

	if (r == 0)
		r = explain_json(explanation, NULL, out);
	else if (r == PROBLEM)
		put_problem(out, path, &problem);
	explanation_free(explanation);
	return r == PROBLEM ? 0 : r;
}

/*
 * In a worker: writes the path's text. Returns 0; -EISDIR: a directory; or another -errno. The
 * worker uses an offline view (offline.h) with the mount's present settings, not the view that is
 * shown, and so never waits for the publisher.
 */
static worker_task explain_task;
static int explain_task(const struct composer *composer, struct record *job, struct record *answer)
{
	CLEANUP(freep) char *path = record_get_text(job);
	CLEANUP(offline_freep) struct offline *offline = NULL;
	CLEANUP(freep) char *text = NULL;
	size_t size = 0;

	int r = path ? offline_new(composer->settings, &offline) : record_refuse(job);
	if (r < 0)
		return r;
	offline_share_cache(offline, composer->cache);
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	r = explain_path(offline, path, out);
	bool is_short = ferror(out);
	if (fclose(out) != 0 || is_short)
		r = r == 0 ? -ENOMEM : r;
	if (r == 0)
		record_put_bytes(answer, text, size);
	return r;
}

static void put_path(const void *context, struct record *job)
{
	record_put_text(job, context);
}

/* Shows why there is no text. Returns as control_show(). */
static int show_problem(
	struct session *session, const char *path, const struct problem *problem, struct stat *ret)
{
	CLEANUP(freep) char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	put_problem(out, path, problem);
	bool is_short = ferror(out);
	if (fclose(out) != 0 || is_short)
		return -ENOMEM;
	return control_show(session, (struct span){text, size}, 0400, ret);
}

/* Returns 0 with the attributes of a file, -EISDIR for a directory, or another -errno. */
static int show_text(struct session *session, const char *path, struct stat *ret)
{
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(session->view);
	CLEANUP(worker_answer_fini) struct worker_answer answer = {0};
	const struct composer composer = {.settings = settings,
		.mounter = view_mounter(session->view),
		.is_cancelled = view_cancels(session->view)};
	struct problem problem;
	const struct worker_job job = {
		.task = explain_task,
		.composer = &composer,
		.path = path,
		.put = put_path,
		.put_context = path,
	};
	int r = workers_run(view_workers(session->view), &job, &answer, &problem);
	if (r < 0)
		return r;
	if (!answer.record)
		return show_problem(session, path, &problem, ret);
	struct span text = record_get_bytes(answer.record);
	r = record_end(answer.record);
	return r == 0 ? control_show(session, text, 0400, ret) : r;
}

static int show_directory(struct session *session, const char *path, struct stat *ret)
{
	uint64_t ino;
	int r = hold_directory(&session->origins, path, &ino);

	if (r == 0)
		*ret = control_stat(session, ino);
	return r;
}

int origins_lookup(
	struct session *session, uint64_t parent, const char *name, uid_t uid, struct stat *ret)
{
	CLEANUP(freep) char *path = NULL;

	/* Every user may see that .plyfs/origins exists: its mode shows which user may read it. */
	if (parent == PLYFS_INO)
		return show_directory(session, "", ret);
	if (!is_trusted(session, uid))
		return -EACCES;
	int r = join(&session->origins, parent, name, &path);
	if (r == 0)
		r = show_text(session, path, ret);
	return r == -EISDIR ? show_directory(session, path, ret) : r;
}
