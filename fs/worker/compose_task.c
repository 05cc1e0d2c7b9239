#include "compose_task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "composition.h"
#include "hash.h"
#include "path_list.h"
#include "version_record.h"
#include "worker_process.h"

/* Bytes. A file of a remote layer up to this size is copied whole. */
#define COPY_MAX (64 << 20)

/* Returns a hash that is the same in both processes. */
static uint64_t hash_of(struct span text)
{
	return hash_end(hash_bytes(0, text));
}

/* The input of both tasks. */
struct compose_job {
	const struct composer *composer;
	const char *path;
	const struct union_lookup *lookup;
	const struct version *version; /* the version whose lines are mapped */
};

static void put_lookup(struct record *record, const struct union_lookup *lookup)
{
	record_put(record, lookup->kind);
	record_put(record, lookup->layers);
	record_put(record, lookup->count);
	for (unsigned i = 0; i < lookup->count; i++) {
		const struct contributor *found = &lookup->found[i];
		record_put(record, found->layer);
		record_put(record, (uint64_t)found->error);
		record_put_stat(record, &found->stat);
		record_put_text(record, found->path);
	}
}

void compose_job_put(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct record *record)
{
	record_put_text(record, path);
	record_put(record, composer->takes_unfinished);
	put_lookup(record, lookup);
	record_put(record, composer->fallbacks != NULL);
}

static void put_job(const void *context, struct record *record)
{
	const struct compose_job *job = context;

	compose_job_put(job->composer, job->path, job->lookup, record);
}

static void put_lines_job(const void *context, struct record *record)
{
	const struct compose_job *job = context;

	put_job(context, record);
	record_put(record, job->version->size);
	record_put(record, hash_of((struct span){job->version->data, (size_t)job->version->size}));
}

/* The worker's side. */

/* A job, as the worker received it. */
struct taken_job {
	char *path;
	struct union_lookup lookup;
	struct contributor *found;
	struct fallbacks fallbacks;
	struct composer composer;
	unsigned doubts;
};

static int take_lookup(struct record *record, struct taken_job *job)
{
	struct union_lookup *lookup = &job->lookup;

	lookup->kind = (enum union_kind)record_get_below(record, UNION_LINK);
	lookup->layers = record_get(record);
	size_t count = record_get_count(record, 8);
	job->found = calloc(count + 1, sizeof(*job->found));
	if (!job->found)
		return -ENOMEM;
	lookup->found = job->found;
	for (size_t i = 0; i < count; i++) {
		struct contributor *found = &lookup->found[i];
		found->layer = (unsigned)record_get_below(record, LAYERS_MAX - 1);
		found->error = (int)record_get(record);
		record_get_stat(record, &found->stat);
		found->path = record_get_text(record);
		lookup->count++;
	}
	return 0;
}

static int take_job(const struct composer *composer, struct record *record, struct taken_job *job)
{
	*job = (struct taken_job){.composer = *composer};
	job->path = record_get_text(record);
	job->composer.takes_unfinished = record_get_bool(record);
	job->composer.doubts = &job->doubts;
	int r = take_lookup(record, job);
	job->fallbacks.ask = worker_ask_fallback;
	if (record_get_bool(record))
		job->composer.fallbacks = &job->fallbacks;
	return r == 0 && (!job->path || record_error(record)) ? record_refuse(record) : r;
}

static void taken_job_fini(struct taken_job *job)
{
	for (unsigned i = 0; i < job->lookup.count; i++)
		free((char *)(uintptr_t)job->found[i].path);
	free(job->found);
	fallbacks_clear(&job->fallbacks);
	free(job->path);
}

static void put_asked(struct record *answer, const struct path_list *asked)
{
	record_put(answer, asked->count);
	for (size_t i = 0; i < asked->count; i++)
		record_put_text(answer, asked->paths[i]);
}

static void put_used(struct record *answer, const struct version *version)
{
	record_put(answer, version->fallback_count);
	for (size_t i = 0; i < version->fallback_count; i++)
		source_put(answer, version->fallbacks[i], (struct span){0});
}

/* Added to a result, so that a record can have a negative one. */
#define RESULT_BASE 4096

int compose_task(const struct composer *composer, struct record *record, struct record *answer)
{
	CLEANUP(taken_job_fini) struct taken_job job;
	CLEANUP(path_list_fini) struct path_list asked = {0};
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct problem problem = {.message = ""};

	int r = take_job(composer, record, &job);
	if (r == 0)
		r = compose(&job.composer, job.path, &job.lookup, &asked, &version, &problem);
	if (r < 0 && layer_is_shortage(r))
		return r;
	record_put(answer, (uint64_t)(RESULT_BASE + r));
	record_put_problem(answer, &problem);
	record_put(answer, job.doubts);
	put_asked(answer, &asked);
	if (r == 0) {
		put_used(answer, version);
		version_put(answer, version);
	}
	return 0;
}

static worker_task lines_task;
static int lines_task(const struct composer *composer, struct record *record, struct record *answer)
{
	CLEANUP(taken_job_fini) struct taken_job job;
	CLEANUP(path_list_fini) struct path_list asked = {0};
	CLEANUP(composition_fini) struct composition composition;
	CLEANUP(line_map_freep) struct line_map *lines = NULL;
	struct problem problem = {.message = ""};

	int r = take_job(composer, record, &job);
	uint64_t size = record_get(record);
	uint64_t hash = record_get(record);
	memset(&composition, 0, sizeof(composition));
	if (r == 0)
		r = composition_make(&composition, &job.composer, job.path, &job.lookup, &asked,
			COMPOSITION_ORIGINS, &problem);
	const struct merge_result *result = r == 0 ? composition.result : NULL;
	if (result && result->text.len == size && hash_of(result->text) == hash)
		r = line_map_make(&composition.request, result, &lines);
	if (r == -ENOMEM)
		return r;
	line_map_put(answer, lines);
	return 0;
}

/* The daemon's side. */

static int take_asked(struct record *answer, struct path_list *asked)
{
	size_t count = record_get_count(answer, 8);
	int r = count % 2 ? -EBADMSG : 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		CLEANUP(freep) char *path = record_get_text(answer);
		r = path ? path_list_add(asked, path, strlen(path)) : record_refuse(answer);
	}
	return r;
}

/* Reads a fallback, and adds the daemon's copy to the version. The answer has no text of it. */
static int take_fallback(
	const struct composer *composer, struct record *answer, struct version *version)
{
	CLEANUP(source_fini) struct read_source source;

	int r = source_take(answer, composer->settings, &source);
	if (r < 0)
		return r;
	struct loaded *loaded = composer->fallbacks ? fallbacks_use(composer->fallbacks,
							      source.layer, source.path, NULL)
						    : NULL;
	if (!loaded)
		return record_refuse(answer);
	version->fallbacks[version->fallback_count++] = loaded_ref(loaded);
	return 0;
}

static int take_used(const struct composer *composer, struct record *answer, struct version *used)
{
	size_t count = record_get_count(answer, 8);
	int r = 0;

	used->fallbacks = calloc(count + 1, sizeof(*used->fallbacks));
	if (!used->fallbacks)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < count; i++)
		r = take_fallback(composer, answer, used);
	return r;
}

/*
 * Reads a version. The lookup, and not the answer, decides its kind: bytes for a file, a target for
 * a link. `latest` is the daemon's own.
 */
static int take_version(const struct composer *composer, struct record *answer,
	enum union_kind kind, struct version **ret)
{
	CLEANUP(version_unrefp) struct version *used = version_new(VERSION_BROKEN);
	if (!used)
		return -ENOMEM;
	int r = take_used(composer, answer, used);
	if (r < 0)
		return r;
	CLEANUP(version_unrefp) struct version *version = version_take_last(answer);
	if (!version)
		return record_refuse(answer);
	if (version->kind != (kind == UNION_LINK ? VERSION_LINK : VERSION_BYTES) ||
		version->latest.items)
		return -EBADMSG;
	if (used->fallback_count) {
		version->fallbacks = take_ptr(used->fallbacks);
		version->fallback_count = used->fallback_count;
		used->fallback_count = 0;
	}
	*ret = take_ptr(version);
	return 0;
}

int compose_answer_take(const struct composer *composer, struct record *answer,
	enum union_kind kind, struct path_list *asked, struct version **ret,
	struct problem *problem)
{
	struct problem own;
	int result = (int)record_get_below(answer, RESULT_BASE * 2) - RESULT_BASE;
	bool is_whole = record_get_problem(answer, &own);
	unsigned doubts = (unsigned)record_get_below(answer, DOUBT_WRITER | DOUBT_FAILED);
	int r = is_whole ? take_asked(answer, asked) : record_refuse(answer);

	if (r == 0 && result == 0)
		r = take_version(composer, answer, kind, ret);
	if (r == 0)
		r = record_end(answer);
	if (r < 0) {
		version_unref(take_ptr(*ret));
		path_list_clear(asked);
		return r;
	}
	if (own.message[0])
		*problem = own;
	if (composer->doubts)
		*composer->doubts |= doubts;
	return result;
}

/* Returns a hash that changes when a source changes. */
static uint64_t state_of(const struct union_lookup *lookup)
{
	uint64_t hash = hash_seed();

	for (unsigned i = 0; i < lookup->count; i++) {
		const struct contributor *found = &lookup->found[i];
		hash = stamp_hash(hash_add(hash, found->layer), &found->stat);
	}
	return hash_end(hash);
}

/*
 * Returns whether the daemon composes the path itself: a link, or a large file of one layer, needs
 * no parser. On a remote file system it opens only files that are too large for a copy.
 */
static bool is_for_this_process(
	const struct composer *composer, const char *path, const struct union_lookup *lookup)
{
	const struct contributor *held = lookup->kind == UNION_LINK
						 ? &lookup->found[0]
						 : compose_held_source(composer, path, lookup);

	if (!held)
		return false;
	const struct layer *layer = composer->settings->layers[held->layer];
	return !layer_delegates(layer, held->path ? held->path : path) ||
	       (held->stat.st_size > COPY_MAX && layer_silence(layer) == LAYER_ANSWERS);
}

int compose_by(struct workers *workers, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct path_list *asked, struct version **ret,
	struct problem *problem)
{
	const struct compose_job composing = {.composer = composer, .path = path, .lookup = lookup};
	struct path_list noted = {0};
	const struct worker_job job = {
		.task = compose_task,
		.composer = composer,
		.path = path,
		.state = state_of(lookup),
		.bytes = union_lookup_bytes(lookup),
		.put = put_job,
		.put_context = &composing,
		.asked = &noted,
	};
	CLEANUP(worker_answer_fini) struct worker_answer answer = {0};

	if (is_for_this_process(composer, path, lookup))
		return compose(composer, path, lookup, asked, ret, problem);
	int r = workers_run(workers, &job, &answer, problem);
	if (r == 0) {
		r = compose_answer_take(composer, answer.record, lookup->kind, asked, ret, problem);
	} else {
		path_list_fini(asked);
		*asked = noted;
		noted = (struct path_list){0};
	}
	path_list_fini(&noted);
	worker_answer_keep(&answer, composer->cache);
	return r;
}

int map_lines_by(struct workers *workers, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, const struct version *version, struct line_map **ret)
{
	struct composer plain = *composer;
	const struct compose_job mapping = {
		.composer = &plain, .path = path, .lookup = lookup, .version = version};
	const struct worker_job job = {
		.task = lines_task,
		.composer = &plain,
		.path = path,
		.state = state_of(lookup),
		.bytes = union_lookup_bytes(lookup),
		.put = put_lines_job,
		.put_context = &mapping,
	};
	CLEANUP(worker_answer_fini) struct worker_answer answer = {0};
	struct problem ignored;

	plain.fallbacks = NULL;
	*ret = NULL;
	int r = workers_run(workers, &job, &answer, &ignored);
	if (r == 0)
		r = line_map_take(answer.record, ret);
	return r == -ENOMEM || r == -ECANCELED ? r : 0;
}
