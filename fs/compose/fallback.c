#include "fallback.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"

void fallbacks_clear(struct fallbacks *fallbacks)
{
	for (size_t i = 0; i < fallbacks->count; i++)
		loaded_unref(fallbacks->items[i].loaded);
	free(fallbacks->items);
	fallbacks->items = NULL;
	fallbacks->count = fallbacks->capacity = 0;
}

static struct fallback *find(const struct fallbacks *fallbacks, const struct layer *layer,
	const char *path, const struct read_options *options)
{
	for (size_t i = 0; i < fallbacks->count; i++)
		if (loaded_is_of(fallbacks->items[i].loaded, layer, path, options))
			return &fallbacks->items[i];
	return NULL;
}

/* Replaces the state of a source. Takes over the reference in item.loaded. */
static int set(struct fallbacks *fallbacks, struct fallback item, struct fallback *old)
{
	int r = 0;

	if (old) {
		loaded_unref(old->loaded);
		*old = item;
	} else {
		r = array_push(fallbacks->items, fallbacks->count, fallbacks->capacity, item);
	}
	if (r < 0)
		loaded_unref(item.loaded);
	return r;
}

void fallbacks_note(struct fallbacks *fallbacks, const struct layer *layer,
	const struct read_options *options, struct loaded *loaded)
{
	struct fallback item = {layer, *options, loaded_ref(loaded), false};

	(void)set(fallbacks, item, find(fallbacks, layer, loaded->path, options));
}

struct loaded *fallbacks_used(const struct fallbacks *fallbacks, const struct layer *layer,
	const char *path, const struct read_options *options)
{
	const struct fallback *fallback = find(fallbacks, layer, path, options);

	return fallback && fallback->is_used ? fallback->loaded : NULL;
}

/* Returns one reference to the last good state of the source; NULL: there is none. */
static struct loaded *find_good(const struct fallbacks *fallbacks, const struct layer *layer,
	const char *path, const struct read_options *options)
{
	const struct version *shown = fallbacks->shown;

	if (fallbacks->ask)
		return fallbacks->ask(layer, path, options);
	for (size_t i = 0; i < shown->fallback_count; i++)
		if (loaded_is_of(shown->fallbacks[i], layer, path, options))
			return loaded_ref(shown->fallbacks[i]);
	return source_cache_find(fallbacks->cache, layer, path, options, shown);
}

struct loaded *fallbacks_use(struct fallbacks *fallbacks, const struct layer *layer,
	const char *path, const struct read_options *options)
{
	struct fallback *old = find(fallbacks, layer, path, options);

	if (old && old->is_used)
		return old->loaded;
	struct fallback item = {.layer = layer, .is_used = true};
	item.options = options ? *options : item.options;
	item.loaded = find_good(fallbacks, layer, path, options);
	return item.loaded && set(fallbacks, item, old) == 0 ? item.loaded : NULL;
}

bool fallbacks_blame(struct fallbacks *fallbacks, const struct problem *problem)
{
	for (size_t i = 0; i < fallbacks->count; i++) {
		const struct fallback *item = &fallbacks->items[i];
		if (!item->is_used && problem_is_in(problem, &item->loaded->source) &&
			fallbacks_use(fallbacks, item->layer, item->loaded->path, &item->options))
			return true;
	}
	return false;
}

int fallbacks_give(const struct fallbacks *fallbacks, struct version *version)
{
	version->fallbacks = calloc(fallbacks->count + 1, sizeof(struct loaded *));
	if (!version->fallbacks)
		return -ENOMEM;
	for (size_t i = 0; i < fallbacks->count; i++)
		if (fallbacks->items[i].is_used)
			version->fallbacks[version->fallback_count++] =
				loaded_ref(fallbacks->items[i].loaded);
	return 0;
}
