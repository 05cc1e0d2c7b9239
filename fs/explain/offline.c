#include "offline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "await.h"
#include "cleanup.h"
#include "expand.h"
#include "path.h"

/* A file below a directory. */
struct found {
	char *path;
	const char *name; /* in `path` */
	layer_mask layers;
	size_t depth;
	size_t number; /* position in the order of a traversal */
};

/* All files below a directory, top directories first; and the same by name, then in that order. */
struct offline_index {
	struct offline_index *next;
	char *directory;
	int depth;
	struct found *items;
	size_t count;
	size_t capacity;
	const struct found **by_name;
};

struct offline {
	struct composer composer;
	struct source_cache *own; /* the composer's cache; NULL: that is another's */
	struct finder finder;
	struct offline_index *indexes; /* an index never changes once it is in the list */
};

static void index_freep(struct offline_index **place)
{
	struct offline_index *index = *place;

	if (!index)
		return;
	for (size_t i = 0; i < index->count; i++)
		free(index->items[i].path);
	free(index->items);
	free(index->by_name);
	free(index->directory);
	free(index);
}

static int add_found(void *context, const struct traversed *found)
{
	struct offline_index *index = context;

	if (found->kind != UNION_FILE)
		return 0;
	if (array_grow(index->items, index->count, index->capacity) < 0)
		return -ENOMEM;
	char *path = strdup(found->path);
	if (!path)
		return -ENOMEM;
	size_t depth = 0;
	for (const char *at = path; *at; at++)
		depth += *at == '/';
	index->items[index->count] =
		(struct found){path, path_name(path), found->layers, depth, index->count};
	index->count++;
	return 0;
}

static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_names(const void *a, const void *b)
{
	const struct found *x = *(const struct found *const *)a;
	const struct found *y = *(const struct found *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x > y) - (x < y);
}

static int index_new(
	const struct offline *offline, const char *directory, int depth, struct offline_index **ret)
{
	CLEANUP(index_freep) struct offline_index *index = calloc(1, sizeof(*index));
	if (!index)
		return -ENOMEM;
	const struct traversal traversal = {.settings = offline->composer.settings,
		.depth = depth,
		.each = add_found,
		.context = index};

	index->depth = depth;
	index->directory = strdup(directory);
	int r = index->directory ? traverse(&traversal, directory) : -ENOMEM;
	if (r < 0 && r != -ENOENT && r != -ENOTDIR)
		return r;
	index->by_name = calloc(index->count + 1, sizeof(*index->by_name));
	if (!index->by_name)
		return -ENOMEM;
	if (index->count)
		qsort(index->items, index->count, sizeof(*index->items), compare_found);
	for (size_t i = 0; i < index->count; i++)
		index->by_name[i] = &index->items[i];
	qsort(index->by_name, index->count, sizeof(*index->by_name), compare_names);
	*ret = take_ptr(index);
	return 0;
}

static const struct offline_index *find_index(
	const struct offline *offline, const char *directory, int depth)
{
	const struct offline_index *index = offline->indexes;

	while (index && (index->depth != depth || strcmp(index->directory, directory) != 0))
		index = index->next;
	return index;
}

static int get_index(
	struct offline *offline, const char *directory, int depth, const struct offline_index **ret)
{
	CLEANUP(index_freep) struct offline_index *made = NULL;

	*ret = find_index(offline, directory, depth);
	if (*ret)
		return 0;
	int r = index_new(offline, directory, depth, &made);
	if (r < 0)
		return r;
	/* If index_new() has waited, another coroutine may have added the index. */
	*ret = find_index(offline, directory, depth);
	if (!*ret) {
		made->next = offline->indexes;
		*ret = offline->indexes = take_ptr(made);
	}
	return 0;
}

static int list(void *context, const char *directory, int depth,
	int (*each)(void *context, const char *path, const char *name, layer_mask layers),
	void *each_context)
{
	const struct offline_index *index;

	int r = get_index(context, directory, depth, &index);
	for (size_t i = 0; r == 0 && i < index->count; i++)
		r = each(each_context, index->items[i].path, index->items[i].name,
			index->items[i].layers);
	return r;
}

static int find(void *context, const char *directory, const char *name, size_t skip, char **ret,
	layer_mask *layers)
{
	const struct offline_index *index;
	size_t low = 0;

	int r = get_index(context, directory, -1, &index);
	if (r < 0)
		return r;
	for (size_t high = index->count; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(index->by_name[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	low += skip;
	if (low >= index->count || strcmp(index->by_name[low]->name, name) != 0)
		return FINDER_ABSENT;
	*layers = index->by_name[low]->layers;
	*ret = strdup(index->by_name[low]->path);
	return *ret ? 0 : -ENOMEM;
}

int offline_new(struct settings *settings, struct offline **ret)
{
	CLEANUP(offline_freep) struct offline *offline = calloc(1, sizeof(*offline));
	if (!offline)
		return -ENOMEM;
	offline->finder = (struct finder){offline, list, find};
	offline->composer = (struct composer){
		.settings = settings_ref(settings),
		.mounter = {geteuid(), getegid()},
		.finder = &offline->finder,
	};
	int r = source_cache_new((size_t)settings->options.cache_mib << 20, false, &offline->own);
	if (r < 0)
		return r;
	offline->composer.cache = offline->own;
	*ret = take_ptr(offline);
	return 0;
}

void offline_free(struct offline *offline)
{
	if (!offline)
		return;
	while (offline->indexes) {
		struct offline_index *index = offline->indexes;
		offline->indexes = index->next;
		index_freep(&index);
	}
	source_cache_free(offline->own);
	settings_unref(offline->composer.settings);
	free(offline);
}

void offline_freep(struct offline **offline)
{
	offline_free(*offline);
}

void offline_share_cache(struct offline *offline, struct source_cache *cache)
{
	source_cache_free(take_ptr(offline->own));
	offline->composer.cache = cache;
}

struct settings *offline_settings(const struct offline *offline)
{
	return offline->composer.settings;
}

const struct composer *offline_composer(const struct offline *offline)
{
	return &offline->composer;
}

const struct finder *offline_finder(const struct offline *offline)
{
	return &offline->finder;
}

int offline_traverse(const struct offline *offline, const char *path,
	int (*each)(void *context, const struct traversed *found), void *context)
{
	const struct traversal traversal = {
		offline->composer.settings, &offline->finder, -1, each, context};

	return traverse(&traversal, path);
}

int offline_look_at(const struct offline *offline, const char *path,
	int (*take)(void *context, const struct composer *composer, const char *path,
		const struct union_lookup *lookup, struct problem *problem),
	void *context, struct problem *problem)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	const struct traversal above = {
		offline->composer.settings, &offline->finder, 0, NULL, NULL};
	layer_mask layers;

	if (!lookup)
		return -ENOMEM;
	if (union_has_mark(path) || settings_is_own(path))
		return -ENOENT;
	for (int try = 0; try < COMPOSE_TRIES; try++) {
		int r = traverse_enter(&above, path, &layers);
		if (r == 0)
			r = expand_look_up(&offline->finder, above.settings, layers, path, lookup);
		if (r < 0)
			return r;
		if (lookup->kind == UNION_NONE)
			return -ENOENT;
		if (lookup->kind == UNION_DIRECTORY)
			return -EISDIR;
		problem->message[0] = '\0';
		struct composer composer = offline->composer;
		composer.takes_unfinished = try == COMPOSE_TRIES - 1;
		r = take(context, &composer, path, lookup, problem);
		if (r <= 0 || r == PROBLEM)
			return r;
		await_pause_us(COMPOSE_PAUSE_NS / 1000);
	}
	return compose_is_restless(path, problem);
}

static int take_version(void *context, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct problem *problem)
{
	CLEANUP(path_list_fini) struct path_list asked = {0};

	return compose(composer, path, lookup, &asked, context, problem);
}

int offline_read(const struct offline *offline, const char *path, struct version **ret,
	struct problem *problem)
{
	return offline_look_at(offline, path, take_version, ret, problem);
}
