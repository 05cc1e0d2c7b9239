#include "check_pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "cleanup.h"
#include "inspection_task.h"
#include "remote_layers.h"

/* Number of paths ahead of the next one to report: it bounds the memory for their findings. */
#define WINDOW 256

/* More threads hardly help, as they share the cached sources. */
#define THREADS_MAX 4

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
	pthread_mutex_t lock;
	pthread_cond_t has_changed;
	size_t next;                          /* lock: the next path to inspect */
	size_t taken;                         /* lock: number of paths that were reported */
	struct check_pool_slot slots[WINDOW]; /* lock; slots[n % WINDOW] is that of the path n */
};

/* Returns the number of processors that this process may use, at most THREADS_MAX. */
static unsigned threads_of_process(void)
{
	cpu_set_t allowed;
	int count = 1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		count = CPU_COUNT(&allowed);
	return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (unsigned)count;
}

static int inspect_path(const struct check_pool *checker, size_t number, struct inspection *ret)
{
	const char *path = checker->paths[number];

	return checker->workers ? inspect_by(checker->workers, checker->offline, path, ret)
				: inspect(checker->offline, path, ret);
}

static void *work(void *context)
{
	struct check_pool *checker = context;

	pthread_mutex_lock(&checker->lock);
	for (;;) {
		while (checker->next < checker->count && checker->next >= checker->taken + WINDOW)
			pthread_cond_wait(&checker->has_changed, &checker->lock);
		if (checker->next >= checker->count)
			break;
		size_t number = checker->next++;
		struct check_pool_slot slot = {.is_done = true};

		pthread_mutex_unlock(&checker->lock);
		slot.result = inspect_path(checker, number, &slot.inspection);
		pthread_mutex_lock(&checker->lock);
		checker->slots[number % WINDOW] = slot;
		pthread_cond_broadcast(&checker->has_changed);
	}
	pthread_mutex_unlock(&checker->lock);
	return NULL;
}

static void wait_for(struct check_pool *checker, size_t number, struct check_pool_slot *ret)
{
	struct check_pool_slot *slot = &checker->slots[number % WINDOW];

	pthread_mutex_lock(&checker->lock);
	while (!slot->is_done)
		pthread_cond_wait(&checker->has_changed, &checker->lock);
	*ret = *slot;
	*slot = (struct check_pool_slot){0};
	checker->taken = number + 1;
	pthread_cond_broadcast(&checker->has_changed);
	pthread_mutex_unlock(&checker->lock);
}

/* Reports the paths. If no thread could be started, it inspects them itself. */
static int report_paths(struct check_pool *checker, unsigned threads,
	int (*each)(
		void *context, const char *path, int result, const struct inspection *inspection),
	void *context)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < checker->count; i++) {
		struct check_pool_slot slot = {0};

		if (threads > 0)
			wait_for(checker, i, &slot);
		else
			slot.result = inspect_path(checker, i, &slot.inspection);
		r = each(context, checker->paths[i], slot.result, &slot.inspection);
		inspection_fini(&slot.inspection);
	}
	return r;
}

static void finish(struct check_pool *checker, const pthread_t *threads, unsigned started)
{
	pthread_mutex_lock(&checker->lock);
	checker->next = checker->count;
	pthread_cond_broadcast(&checker->has_changed);
	pthread_mutex_unlock(&checker->lock);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < WINDOW; i++)
		inspection_fini(&checker->slots[i].inspection);
	pthread_cond_destroy(&checker->has_changed);
	pthread_mutex_destroy(&checker->lock);
}

/* If a layer does not answer, the overseer is to see which thread of this process waits for it. */
static bool has_remote_layer(const struct settings *settings)
{
	bool is_found = settings_note_remote(settings, -1) < 0;

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
	pthread_t started[THREADS_MAX];
	unsigned running = 0, threads = threads_of_process();

	if (!checker)
		return -ENOMEM;
	if (workers_are_reliable() && !has_remote_layer(offline_settings(offline)) &&
		workers_new(-1, &checker->workers) < 0)
		return -ENOMEM;
	checker->offline = offline;
	checker->paths = paths;
	checker->count = count;
	pthread_mutex_init(&checker->lock, NULL);
	pthread_cond_init(&checker->has_changed, NULL);
	while (running < threads && running < count &&
		pthread_create(&started[running], NULL, work, checker) == 0)
		running++;
	int r = report_paths(checker, running, each, context);
	finish(checker, started, running);
	workers_free(checker->workers);
	return r;
}
