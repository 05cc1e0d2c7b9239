#include "stand_in.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

static int add(struct stand_ins *stand_ins, struct loaded *loaded)
{
	if (array_grow(stand_ins->items, stand_ins->count, stand_ins->capacity) < 0)
		return -ENOMEM;
	stand_ins->items[stand_ins->count++] = (struct stand_in){.loaded = loaded_ref(loaded)};
	return 0;
}

int stand_ins_init(struct stand_ins *stand_ins, const struct version *shown)
{
	int r = 0;

	*stand_ins = (struct stand_ins){0};
	if (!shown)
		return 0;
	const struct stamp *stamps = shown->latest ? shown->latest : shown->stamps;
	size_t count = shown->latest ? shown->latest_count : shown->stamp_count;
	if (!count)
		return 0;
	stand_ins->stamps = malloc(count * sizeof(*stamps));
	if (!stand_ins->stamps)
		return -ENOMEM;
	memcpy(stand_ins->stamps, stamps, count * sizeof(*stamps));
	stand_ins->stamp_count = count;
	for (size_t i = 0; r == 0 && i < shown->stood_in_count; i++)
		r = add(stand_ins, shown->stood_in[i]);
	return r;
}

void stand_ins_fini(struct stand_ins *stand_ins)
{
	for (size_t i = 0; i < stand_ins->count; i++)
		loaded_unref(stand_ins->items[i].loaded);
	free(stand_ins->items);
	free(stand_ins->stamps);
	*stand_ins = (struct stand_ins){0};
}

void stand_ins_rest(struct stand_ins *stand_ins)
{
	for (size_t i = 0; i < stand_ins->count; i++)
		stand_ins->items[i].is_used = false;
}

bool stand_ins_match(const struct stand_ins *stand_ins, const struct loaded *loaded)
{
	for (size_t i = 0; i < stand_ins->stamp_count; i++)
		if (stamp_equal(&stand_ins->stamps[i], &loaded->stamp))
			return true;
	return false;
}

/* Returns a reference to the shown version's state of the source; NULL: it has none. */
static struct loaded *find_shown(const struct stand_ins *stand_ins, struct source_cache *cache,
	const struct layer *layer, const char *path, const struct read_options *options)
{
	const struct stand_in_origin *origin = stand_ins->origin;

	if (origin)
		return origin->find(origin->context, layer, path, options);
	struct loaded *loaded = source_cache_last(cache, layer, path, options);
	if (loaded && stand_ins_match(stand_ins, loaded))
		return loaded;
	loaded_unref(loaded);
	return NULL;
}

struct stand_in *stand_ins_find(struct stand_ins *stand_ins, struct source_cache *cache,
	const struct layer *layer, const char *path, const struct read_options *options)
{
	for (size_t i = 0; i < stand_ins->count; i++)
		if (loaded_is_of(stand_ins->items[i].loaded, layer, path, options))
			return &stand_ins->items[i];
	if (!options || !stand_ins->stamp_count)
		return NULL;
	struct loaded *loaded = find_shown(stand_ins, cache, layer, path, options);
	int r = loaded ? add(stand_ins, loaded) : -ENOENT;
	loaded_unref(loaded);
	return r == 0 ? &stand_ins->items[stand_ins->count - 1] : NULL;
}

/* Returns an unused fallback for the source of `problem`; NULL: there is none. */
static struct stand_in *find_unused(
	const struct stand_ins *stand_ins, const struct problem *problem)
{
	for (size_t i = 0; i < stand_ins->count; i++) {
		struct stand_in *stand_in = &stand_ins->items[i];
		if (!stand_in->is_used &&
			strcmp(stand_in->loaded->source.name, problem->source) == 0)
			return stand_in;
	}
	return NULL;
}

bool stand_ins_have(const struct stand_ins *stand_ins, const struct problem *problem)
{
	return find_unused(stand_ins, problem);
}

bool stand_ins_use(struct stand_ins *stand_ins, const struct problem *problem)
{
	struct stand_in *stand_in = find_unused(stand_ins, problem);

	if (stand_in)
		stand_in->is_used = true;
	return stand_in;
}

int stand_ins_give(const struct stand_ins *stand_ins, struct version *version)
{
	int used = 0;

	for (size_t i = 0; i < stand_ins->count; i++)
		used += stand_ins->items[i].is_used;
	if (!used)
		return 0;
	version->stood_in = calloc((size_t)used, sizeof(*version->stood_in));
	if (!version->stood_in)
		return -ENOMEM;
	for (size_t i = 0; i < stand_ins->count; i++)
		if (stand_ins->items[i].is_used)
			version->stood_in[version->stood_in_count++] =
				loaded_ref(stand_ins->items[i].loaded);
	return used;
}
