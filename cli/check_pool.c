#include "check_pool.h"

#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "compose_task.h"
#include "coroutine.h"
#include "record.h"
#include "settings.h"
#include "worker.h"

/* Number of paths ahead of the next one to report: it bounds the memory for their findings. */
#define WINDOW 256

/* Paths that are inspected at the same time, by workers. More hardly help. */
#define JOBS_MAX 4

/* Least bytes of a finding, a reference or a use in a record. */
#define ITEM_BYTES 8

/* In the worker. */

static void put_inspection(
	const struct inspection *inspection, size_t pattern_count, struct record *answer)
{
	const struct findings *findings = &inspection->findings;

	record_put(answer, findings->left_out);
	record_put(answer, findings->count);
	for (size_t i = 0; i < findings->count; i++) {
		record_put(answer, findings->items[i].kind);
		record_put_problem(answer, &findings->items[i].problem);
	}
	record_put(answer, inspection->reference_count);
	for (size_t i = 0; i < inspection->reference_count; i++) {
		const struct reference *reference = &inspection->references[i];
		record_put_text(answer, reference->directory);
		record_put_text(answer, reference->name);
		record_put_problem(answer, &reference->place);
	}
	/* Nodes of the settings, which both processes have at the same place. */
	record_put(answer, inspection->uses.count);
	for (size_t i = 0; i < inspection->uses.count; i++)
		record_put(answer, (uint64_t)(uintptr_t)inspection->uses.items[i]);
	record_put(answer, inspection->is_matched != NULL);
	for (size_t i = 0; inspection->is_matched && i < pattern_count; i++)
		record_put(answer, inspection->is_matched[i]);
	record_put(answer, inspection->text != NULL);
	if (!inspection->text)
		return;
	record_put_bytes(answer, inspection->text, inspection->text_size);
	line_map_put(answer, inspection->lines);
}

static size_t count_patterns(const struct settings *settings, const char *path)
{
	const struct virtual_file *file = settings_file(settings, path);

	return file ? file->from_count : 0;
}

static int inspect_task(const struct composer *own, struct record *job, struct record *answer)
{
	/* The worker has one job at a time, and the same settings all its life. */
	static struct offline *offline;
	CLEANUP(freep) char *path = record_get_text(job);
	struct inspection inspection;
	int r = record_end(job);

	if (r == 0 && !path)
		r = -ENOMEM;
	if (r == 0 && !offline) {
		r = offline_new(own->settings, &offline);
		if (r == 0)
			offline_share_cache(offline, own->cache);
	}
	if (r == 0)
		r = inspect(offline, path, &inspection);
	if (r < 0)
		return r;
	put_inspection(&inspection, count_patterns(own->settings, path), answer);
	inspection_fini(&inspection);
	return 0;
}

/* In the command. A worker's answer may be damaged. */

static int take_findings(struct record *answer, struct findings *findings)
{
	findings->left_out = (size_t)record_get(answer);
	size_t count = record_get_count(answer, ITEM_BYTES);
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		struct problem problem;
		enum finding_kind kind =
			(enum finding_kind)record_get_below(answer, FINDING_WARNING);
		if (!record_get_problem(answer, &problem))
			return record_refuse(answer);
		r = findings_add(findings, kind, &problem);
	}
	return r;
}

static int take_references(struct record *answer, struct inspection *inspection)
{
	size_t count = record_get_count(answer, ITEM_BYTES);

	inspection->references = calloc(count + 1, sizeof(*inspection->references));
	if (!inspection->references)
		return -ENOMEM;
	while (inspection->reference_count < count) {
		struct reference *reference =
			&inspection->references[inspection->reference_count++];
		reference->directory = record_get_text(answer);
		reference->name = record_get_text(answer);
		if (!reference->directory || !reference->name ||
			!record_get_problem(answer, &reference->place))
			return record_refuse(answer);
	}
	return 0;
}

static int take_uses(struct record *answer, struct option_uses *uses)
{
	size_t count = record_get_count(answer, ITEM_BYTES);
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = option_uses_add(uses, (const struct node *)(uintptr_t)record_get(answer));
	return r;
}

static int take_matches(struct record *answer, size_t count, bool **ret)
{
	if (!record_get_bool(answer))
		return 0;
	*ret = calloc(count + 1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		(*ret)[i] = record_get_bool(answer);
	return 0;
}

static int take_text(struct record *answer, struct inspection *inspection)
{
	if (!record_get_bool(answer))
		return 0;
	struct span text = record_get_bytes(answer);
	inspection->text = span_dup(text);
	if (!inspection->text)
		return -ENOMEM;
	inspection->text_size = text.len;
	return line_map_take(answer, &inspection->lines);
}

static int take_inspection(
	struct record *answer, size_t pattern_count, struct inspection *inspection)
{
	int r = take_findings(answer, &inspection->findings);

	if (r == 0)
		r = take_references(answer, inspection);
	if (r == 0)
		r = take_uses(answer, &inspection->uses);
	if (r == 0)
		r = take_matches(answer, pattern_count, &inspection->is_matched);
	if (r == 0)
		r = take_text(answer, inspection);
	return r == 0 ? record_end(answer) : r;
}

static void put_path(const void *context, struct record *job)
{
	record_put_text(job, context);
}

/* Composes as a mount does, which reads each source alone: so a failure names the source. */
static int compose_again(void *context, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct problem *problem)
{
	CLEANUP(path_list_fini) struct path_list asked = {0};
	CLEANUP(version_unrefp) struct version *version = NULL;

	return compose_by(context, composer, path, lookup, &asked, &version, problem);
}

static int add_failure(struct workers *workers, const struct offline *offline, const char *path,
	const struct problem *problem, struct findings *findings)
{
	struct problem named;
	int r = offline_look_at(offline, path, compose_again, workers, &named);

	if (r == -ECANCELED || r == -ENOMEM)
		return r;
	return findings_add(
		findings, FINDING_ERROR, r == PROBLEM || r == -ETIMEDOUT ? &named : problem);
}

/*
 * Has a worker call inspect(). If the worker fails, adds the reason to the findings, as an error.
 * May wait. Returns as inspect(), or -ECANCELED.
 */
static int inspect_by(struct workers *workers, const struct offline *offline, const char *path,
	struct inspection *ret)
{
	CLEANUP(worker_answer_fini) struct worker_answer answer = {0};
	struct settings *settings = offline_settings(offline);
	const struct composer composer = {.settings = settings};
	const struct worker_job job = {
		.task = inspect_task,
		.composer = &composer,
		.path = path,
		.put = put_path,
		.put_context = path,
	};
	struct problem problem;

	*ret = (struct inspection){0};
	int r = workers_run(workers, &job, &answer, &problem);
	if (r == PROBLEM || r == -ETIMEDOUT)
		r = add_failure(workers, offline, path, &problem, &ret->findings);
	else if (r == 0)
		r = take_inspection(answer.record, count_patterns(settings, path), ret);
	if (r < 0)
		inspection_fini(ret);
	return r;
}

struct check_pool_slot {
	struct inspection inspection;
	int result;
	bool is_done;
};

struct check_pool {
	struct offline *offline;
	struct workers *workers; /* NULL: none */
	char *const *paths;
	size_t count;
	struct coroutine_queue has_taken;     /* waits for room in the window */
	struct coroutine_queue has_done;      /* waits for the next path to report */
	size_t next;                          /* the next path to inspect */
	size_t taken;                         /* number of paths that were reported */
	struct check_pool_slot slots[WINDOW]; /* slots[n % WINDOW] is that of the path n */
};

static int inspect_path(const struct check_pool *checker, size_t number, struct inspection *ret)
{
	const char *path = checker->paths[number];

	return checker->workers ? inspect_by(checker->workers, checker->offline, path, ret)
				: inspect(checker->offline, path, ret);
}

static void work(void *context)
{
	struct check_pool *checker = context;

	while (checker->next < checker->count) {
		if (checker->next >= checker->taken + WINDOW) {
			coroutine_wait(&checker->has_taken, NULL);
			continue;
		}
		size_t number = checker->next++;
		struct check_pool_slot slot = {.is_done = true};

		slot.result = inspect_path(checker, number, &slot.inspection);
		checker->slots[number % WINDOW] = slot;
		coroutine_wake(&checker->has_done);
	}
}

static void wait_for(struct check_pool *checker, size_t number, struct check_pool_slot *ret)
{
	struct check_pool_slot *slot = &checker->slots[number % WINDOW];

	while (!slot->is_done)
		coroutine_wait(&checker->has_done, NULL);
	*ret = *slot;
	*slot = (struct check_pool_slot){0};
	checker->taken = number + 1;
	coroutine_wake_all(&checker->has_taken);
}

/* Reports the paths. Without coroutines, it inspects them itself. */
static int report_paths(
	struct check_pool *checker, unsigned jobs, check_pool_each *each, void *context)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < checker->count; i++) {
		struct check_pool_slot slot = {0};

		if (jobs > 0)
			wait_for(checker, i, &slot);
		else
			slot.result = inspect_path(checker, i, &slot.inspection);
		r = each(context, checker->paths[i], slot.result, &slot.inspection);
		inspection_fini(&slot.inspection);
	}
	return r;
}

/* If a layer does not answer, the overseer is to see that this process waits for it. */
static bool has_remote_layer(const struct settings *settings)
{
	bool is_found = settings_note_remote(settings) < 0;

	for (size_t i = 0; i < settings->layer_count; i++)
		is_found |= atomic_load(&settings->layers[i]->is_remote);
	return is_found;
}

int check_pool_run(struct offline *offline, char *const *paths, size_t count, check_pool_each *each,
	void *context)
{
	CLEANUP(freep) struct check_pool *checker = calloc(1, sizeof(*checker));
	struct coroutine *started[JOBS_MAX];
	unsigned running = 0;

	if (!checker)
		return -ENOMEM;
	if (!has_remote_layer(offline_settings(offline)) && workers_new(-1, &checker->workers) < 0)
		return -ENOMEM;
	checker->offline = offline;
	checker->paths = paths;
	checker->count = count;
	while (checker->workers && running < JOBS_MAX && running < count &&
		coroutine_new(work, checker, &started[running]) == 0)
		running++;
	int r = report_paths(checker, running, each, context);
	checker->next = checker->count;
	coroutine_wake_all(&checker->has_taken);
	while (running > 0)
		coroutine_join(started[--running]);
	for (size_t i = 0; i < WINDOW; i++)
		inspection_fini(&checker->slots[i].inspection);
	workers_free(checker->workers);
	return r;
}
