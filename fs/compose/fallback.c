#include "fallback.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"

static int add(struct fallbacks *fallbacks, struct fallback fallback)
{
	return array_push(fallbacks->items, fallbacks->count, fallbacks->capacity, fallback);
}

static int add_loaded(struct fallbacks *fallbacks, struct loaded *loaded)
{
	int r = add(fallbacks, (struct fallback){.loaded = loaded_ref(loaded)});
	if (r < 0)
		loaded_unref(loaded);
	return r;
}

int fallbacks_init(struct fallbacks *fallbacks, const struct version *shown)
{
	size_t count;
	int r = 0;

	*fallbacks = (struct fallbacks){0};
	if (!shown)
		return 0;
	const struct stamp *stamps = version_stamps(shown, &count);
	if (!count)
		return 0;
	fallbacks->stamps = malloc(count * sizeof(*stamps));
	if (!fallbacks->stamps)
		return -ENOMEM;
	memcpy(fallbacks->stamps, stamps, count * sizeof(*stamps));
	fallbacks->stamp_count = count;
	for (size_t i = 0; r == 0 && i < shown->fallback_count; i++)
		r = add_loaded(fallbacks, shown->fallbacks[i]);
	return r;
}

void fallbacks_fini(struct fallbacks *fallbacks)
{
	for (size_t i = 0; i < fallbacks->count; i++) {
		loaded_unref(fallbacks->items[i].loaded);
		free(fallbacks->items[i].path);
	}
	free(fallbacks->items);
	free(fallbacks->stamps);
	*fallbacks = (struct fallbacks){0};
}

void fallbacks_rest(struct fallbacks *fallbacks)
{
	for (size_t i = 0; i < fallbacks->count; i++)
		fallbacks->items[i].is_used = false;
}

bool fallbacks_match(const struct fallbacks *fallbacks, const struct loaded *loaded)
{
	for (size_t i = 0; i < fallbacks->stamp_count; i++)
		if (stamp_equal(&fallbacks->stamps[i], &loaded->stamp))
			return true;
	return false;
}

/* Returns a reference to the shown version's state of the source; NULL: it has none. */
static struct loaded *find_shown(const struct fallbacks *fallbacks, struct source_cache *cache,
	const struct layer *layer, const char *path, const struct read_options *options)
{
	const struct fallback_origin *origin = fallbacks->origin;

	if (origin)
		return origin->find(origin->context, layer, path, options);
	struct loaded *loaded = source_cache_last(cache, layer, path, options);
	if (loaded && fallbacks_match(fallbacks, loaded))
		return loaded;
	loaded_unref(loaded);
	return NULL;
}

void fallbacks_keep(struct fallbacks *fallbacks, struct source_cache *cache,
	const struct layer *layer, const struct loaded *newer)
{
	struct loaded *loaded = source_cache_last(cache, layer, newer->path, NULL);

	if (loaded && !stamp_equal(&loaded->stamp, &newer->stamp) &&
		fallbacks_match(fallbacks, loaded))
		(void)add_loaded(fallbacks, loaded);
	loaded_unref(loaded);
}

/* Notes that the origin is to be asked for the fallback, if the source is broken. */
static int add_unasked(struct fallbacks *fallbacks, const struct layer *layer, const char *path,
	const struct read_options *options)
{
	char *copy = fallbacks->origin ? strdup(path) : NULL;
	int r = copy ? add(fallbacks,
			       (struct fallback){.layer = layer, .path = copy, .options = *options})
		     : -ENOENT;

	if (r < 0)
		free(copy);
	return r;
}

static bool is_of(const struct fallback *fallback, const struct layer *layer, const char *path,
	const struct read_options *options)
{
	if (fallback->loaded)
		return loaded_is_of(fallback->loaded, layer, path, options);
	return options && fallback->layer == layer && strcmp(fallback->path, path) == 0 &&
	       loaded_flavour(&fallback->options) == loaded_flavour(options);
}

struct fallback *fallbacks_find(struct fallbacks *fallbacks, struct source_cache *cache,
	const struct layer *layer, const char *path, const struct read_options *options)
{
	for (size_t i = 0; i < fallbacks->count; i++)
		if (is_of(&fallbacks->items[i], layer, path, options))
			return &fallbacks->items[i];
	if (!options || !fallbacks->stamp_count)
		return NULL;
	struct loaded *loaded = find_shown(fallbacks, cache, layer, path, options);
	int r = loaded ? add_loaded(fallbacks, loaded)
		       : add_unasked(fallbacks, layer, path, options);
	loaded_unref(loaded);
	return r == 0 ? &fallbacks->items[fallbacks->count - 1] : NULL;
}

bool fallback_fetch(const struct fallbacks *fallbacks, struct fallback *fallback)
{
	if (!fallback->loaded && !fallback->is_asked) {
		fallback->is_asked = true;
		fallback->loaded =
			fallbacks->origin->ask(fallback->layer, fallback->path, &fallback->options);
	}
	return fallback->loaded;
}

/* Returns whether the problem is in the fallback's source. */
static bool is_blamed(const struct fallback *fallback, const struct problem *problem)
{
	CLEANUP(freep) char *name = NULL;

	if (fallback->loaded)
		return problem_is_in(problem, &fallback->loaded->source);
	return layer_source_name(fallback->layer, fallback->path, &name) == 0 &&
	       problem_is_in(problem, &(struct source){.name = name});
}

/* Returns an unused fallback for the source of `problem`; NULL: there is none. */
static struct fallback *find_unused(
	const struct fallbacks *fallbacks, const struct problem *problem)
{
	for (size_t i = 0; i < fallbacks->count; i++) {
		struct fallback *fallback = &fallbacks->items[i];
		if (!fallback->is_used && is_blamed(fallback, problem) &&
			fallback_fetch(fallbacks, fallback))
			return fallback;
	}
	return NULL;
}

bool fallbacks_have(const struct fallbacks *fallbacks, const struct problem *problem)
{
	return find_unused(fallbacks, problem);
}

bool fallbacks_use(struct fallbacks *fallbacks, const struct problem *problem)
{
	struct fallback *fallback = find_unused(fallbacks, problem);

	if (fallback)
		fallback->is_used = true;
	return fallback;
}

int fallbacks_give(const struct fallbacks *fallbacks, struct version *version)
{
	int used = 0;

	for (size_t i = 0; i < fallbacks->count; i++)
		used += fallbacks->items[i].is_used;
	if (!used)
		return 0;
	version->fallbacks = calloc((size_t)used, sizeof(*version->fallbacks));
	if (!version->fallbacks)
		return -ENOMEM;
	for (size_t i = 0; i < fallbacks->count; i++)
		if (fallbacks->items[i].is_used)
			version->fallbacks[version->fallback_count++] =
				loaded_ref(fallbacks->items[i].loaded);
	return used;
}
