#include "check_pool.h"

#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "coroutine.h"
#include "inspection_task.h"
#include "remote_layers.h"

/* Number of paths ahead of the next one to report: it bounds the memory for their findings. */
#define WINDOW 256

/* Paths that are inspected at the same time, by workers. More hardly help. */
#define JOBS_MAX 4

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
static int report_paths(struct check_pool *checker, unsigned jobs,
	int (*each)(
		void *context, const char *path, int result, const struct inspection *inspection),
	void *context)
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

static void finish(struct check_pool *checker, struct coroutine **jobs, unsigned started)
{
	checker->next = checker->count;
	coroutine_wake_all(&checker->has_taken);
	for (unsigned i = 0; i < started; i++)
		coroutine_join(jobs[i]);
	for (size_t i = 0; i < WINDOW; i++)
		inspection_fini(&checker->slots[i].inspection);
}

/* If a layer does not answer, the overseer is to see that this process waits for it. */
static bool has_remote_layer(const struct settings *settings)
{
	bool is_found = settings_note_remote(settings) < 0;

	for (size_t i = 0; i < settings->layer_count; i++)
		is_found |= atomic_load(&settings->layers[i]->is_remote);
	return is_found;
}

int check_pool_run(struct offline *offline, char *const *paths, size_t count,
	int (*each)(
		void *context, const char *path, int result, const struct inspection *inspection),
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
	finish(checker, started, running);
	workers_free(checker->workers);
	return r;
}
