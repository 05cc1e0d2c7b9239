#include "layer_task.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "cleanup.h"
#include "coroutine.h"
#include "descriptor.h"
#include "followed_path.h"
#include "worker_process.h"

/*
 * Tries to watch a directory that is replaced each time. Its parent's watch reports the last one.
 */
#define WATCH_TRIES 8

static struct layer_tasks tasks;
static int patience_ms; /* of the coroutine that is running */

/* The worker's side. Each job begins with `rank` and `path`. */

static const struct layer *take_layer(
	const struct composer *composer, struct record *job, char **path)
{
	uint64_t rank = record_get_below(job, composer->settings->layer_count - 1);

	worker_block_signals();

	*path = record_get_text(job);
	return *path && !record_error(job) ? composer->settings->layers[rank] : NULL;
}

static int stat_by(const struct composer *composer, struct record *job, struct record *answer,
	int (*find)(const struct layer *layer, const char *path, struct stat *ret))
{
	CLEANUP(freep) char *path = NULL;
	const struct layer *layer = take_layer(composer, job, &path);
	struct stat stat = {0};

	record_put_result(answer, layer ? find(layer, path, &stat) : -EBADMSG);
	record_put_stat(answer, &stat);
	return 0;
}

static worker_task stat_task, rights_task, list_task, link_task, watch_task;

static int stat_task(const struct composer *composer, struct record *job, struct record *answer)
{
	return stat_by(composer, job, answer, layer_stat);
}

static int rights_task(const struct composer *composer, struct record *job, struct record *answer)
{
	return stat_by(composer, job, answer, layer_stat_rights);
}

struct listed_names {
	struct record *answer;
	uint64_t count;
};

static int put_name(void *context, const char *name, unsigned char type)
{
	struct listed_names *names = context;

	record_put_text(names->answer, name);
	record_put(names->answer, type);
	names->count++;
	worker_note_step();
	return 0;
}

static int list_task(const struct composer *composer, struct record *job, struct record *answer)
{
	CLEANUP(freep) char *path = NULL;
	const struct layer *layer = take_layer(composer, job, &path);
	size_t place = record_put_count(answer);
	struct listed_names names = {answer, 0};
	int r = layer ? layer_list(layer, path, put_name, &names) : -EBADMSG;

	record_set_count(answer, place, names.count);
	record_put_result(answer, r);
	return 0;
}

static int link_task(const struct composer *composer, struct record *job, struct record *answer)
{
	CLEANUP(freep) char *path = NULL;
	CLEANUP(freep) char *target = NULL;
	const struct layer *layer = take_layer(composer, job, &path);

	record_put_result(answer, layer ? layer_read_link(layer, path, &target) : -EBADMSG);
	record_put_text(answer, target);
	return 0;
}

/* Watches the directory to which the path leads. Returns the watch's number or -errno; -EAGAIN: the
 * path leads to another directory by now. */
static int watch_once(const struct layer *layer, const char *path, uint32_t mask, struct stat *ret)
{
	CLEANUP(closep) int fd = layer_open_directory(layer, path);
	char link[DESCRIPTOR_LINK_MAX];
	struct stat again;

	if (fd < 0)
		return fd;
	descriptor_link(fd, link);
	int wd = inotify_add_watch(worker_watches(), link, mask | IN_MASK_ADD | IN_ONLYDIR);
	if (wd < 0 || fstat(fd, ret) < 0)
		return -errno;
	int r = layer_stat(layer, path, &again);
	return r == 0 && (again.st_dev != ret->st_dev || again.st_ino != ret->st_ino) ? -EAGAIN
										      : wd;
}

static int watch_task(const struct composer *composer, struct record *job, struct record *answer)
{
	CLEANUP(freep) char *path = NULL;
	const struct layer *layer = take_layer(composer, job, &path);
	uint32_t mask = (uint32_t)record_get_below(job, UINT32_MAX);
	struct stat stat = {0};
	int r = layer ? -EAGAIN : -EBADMSG;

	for (int i = 0; r == -EAGAIN && i < WATCH_TRIES; i++)
		r = watch_once(layer, path, mask, &stat);
	record_put_result(answer, r);
	record_put(answer, r < 0 ? 0 : (uint64_t)r);
	record_put_stat(answer, &stat);
	return 0;
}

/* The daemon's side. */

struct layer_request {
	const struct layer *layer;
	const char *path;
	uint32_t mask; /* of watch_task() */
};

static void put_request(const void *context, struct record *record)
{
	const struct layer_request *request = context;

	record_put(record, request->layer->rank);
	record_put_text(record, request->path);
	record_put(record, request->mask);
}

static void note_silence(const struct layer *layer, enum layer_silence silence)
{
	char line[PATH_MAX];
	enum layer_silence before = layer_note_silence(layer, silence);

	if ((silence == LAYER_IS_SILENT) == (before == LAYER_IS_SILENT) ||
		silence == LAYER_IS_SLOW || !tasks.log)
		return;
	if (silence == LAYER_IS_SILENT)
		snprintf(line, sizeof(line),
			"the layer '%s' has not answered for %g s: what it shows stays as it is; "
			"look after its file system at %s",
			layer->name, layer->settings->options.answer_ms / 1000.0, layer->place);
	else
		snprintf(line, sizeof(line), "the layer '%s' answers again", layer->name);
	tasks.log(tasks.context, line, NULL);
}

/* The file system that must answer: the layer's, or the one to which its link leads. */
static dev_t file_system_of(const struct layer *layer)
{
	return layer_is_delegated(layer) ? layer->dev : followed_path_remote();
}

/* Returns 0 with *ret for worker_answer_fini(), or -errno. */
static int run(worker_task *task, const struct layer_request *request, struct worker_answer *ret)
{
	struct composer composer = tasks.composer;
	struct problem ignored;

	*ret = (struct worker_answer){0};
	const int answer_ms = (int)request->layer->settings->options.answer_ms;
	const bool is_delegated = layer_is_delegated(request->layer);

	composer.settings = (struct settings *)(uintptr_t)request->layer->settings;
	if (composer.is_cancelled && atomic_load(composer.is_cancelled))
		return -ETIMEDOUT;
	const struct worker_job job = {
		.task = task,
		.composer = &composer,
		.path = request->path,
		.file_system = file_system_of(request->layer),
		.patience_ms = patience_ms ? patience_ms : answer_ms,
		/* A caller in a hurry does not wait for a long job either. */
		.longest_ms = patience_ms,
		.put = put_request,
		.put_context = request,
	};
	int r = workers_run(tasks.workers, &job, ret, &ignored);
	bool is_slow =
		r == -ETIMEDOUT && workers_waited_ms(tasks.workers, job.file_system) < answer_ms;
	/* If the layer itself is local, only paths through its link are affected. */
	if (r == 0 && is_delegated)
		note_silence(request->layer, LAYER_ANSWERS);
	else if (r == -ETIMEDOUT && is_delegated)
		note_silence(request->layer, is_slow ? LAYER_IS_SLOW : LAYER_IS_SILENT);
	if (is_slow && patience_ms)
		return -LAYER_LATE;
	/* A cancelled job says nothing about the layer: the mount ends, or is handed over. */
	return r == PROBLEM ? -EIO : r == -ECANCELED ? -ETIMEDOUT : r;
}

/* Checks that the answer was read to its end. Returns `r`, -ENOMEM or -EIO. */
static int end_answer(struct record *answer, int r)
{
	int end = record_end(answer);

	return end == 0 ? r : end == -ENOMEM ? end : -EIO;
}

static int ask_stat(
	worker_task *task, const struct layer *layer, const char *path, struct stat *ret)
{
	const struct layer_request request = {layer, path, 0};
	CLEANUP(worker_answer_fini) struct worker_answer answer;
	int r = run(task, &request, &answer);

	if (r < 0)
		return r;
	r = record_get_result(answer.record);
	record_get_stat(answer.record, ret);
	return end_answer(answer.record, r);
}

static int far_stat(const struct layer *layer, const char *path, struct stat *ret)
{
	return ask_stat(stat_task, layer, path, ret);
}

static int far_stat_rights(const struct layer *layer, const char *path, struct stat *ret)
{
	return ask_stat(rights_task, layer, path, ret);
}

static bool is_name(const char *name)
{
	return name && *name && strlen(name) <= NAME_MAX && !strchr(name, '/') &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int far_list(const struct layer *layer, const char *path,
	int (*each)(void *context, const char *name, unsigned char type), void *context)
{
	const struct layer_request request = {layer, path, 0};
	CLEANUP(worker_answer_fini) struct worker_answer answer;
	int r = run(list_task, &request, &answer);
	size_t count = r == 0 ? record_get_count(answer.record, 9) : 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		CLEANUP(freep) char *name = record_get_text(answer.record);
		unsigned char type = (unsigned char)record_get_below(answer.record, UCHAR_MAX);
		if (record_error(answer.record) || !is_name(name))
			r = record_refuse(answer.record) == -ENOMEM ? -ENOMEM : -EIO;
		else
			r = each(context, name, type);
	}
	if (r != 0)
		return r;
	r = record_get_result(answer.record);
	return end_answer(answer.record, r);
}

static int far_read_link(const struct layer *layer, const char *path, char **ret)
{
	const struct layer_request request = {layer, path, 0};
	CLEANUP(worker_answer_fini) struct worker_answer answer;
	int r = run(link_task, &request, &answer);

	if (r < 0)
		return r;
	r = record_get_result(answer.record);
	CLEANUP(freep) char *target = record_get_text(answer.record);
	r = end_answer(answer.record, r);
	if (r == 0 && (!target || !*target || strlen(target) >= PATH_MAX))
		return -EIO;
	if (r == 0)
		*ret = take_ptr(target);
	return r;
}

int layer_task_watch(const struct layer *layer, const char *path, uint32_t mask, struct stat *ret)
{
	const struct layer_request request = {layer, path, mask};
	CLEANUP(worker_answer_fini) struct worker_answer answer;
	int r = run(watch_task, &request, &answer);

	if (r < 0)
		return r;
	r = record_get_result(answer.record);
	int wd = (int)record_get_below(answer.record, INT_MAX);
	record_get_stat(answer.record, ret);
	r = end_answer(answer.record, r);
	return r < 0 ? r : wd;
}

int layer_tasks_patience(int ms)
{
	int before = patience_ms;

	patience_ms = ms;
	return before;
}

void layer_tasks_use(const struct layer_tasks *named)
{
	static const struct layer_delegate delegate = {
		.stat = far_stat,
		.stat_rights = far_stat_rights,
		.list = far_list,
		.read_link = far_read_link,
	};

	coroutine_keeps(&patience_ms);
	tasks = named ? *named : (struct layer_tasks){0};
	layer_delegate(named ? &delegate : NULL);
}
