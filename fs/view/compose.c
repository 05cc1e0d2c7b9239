#include "compose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "environment.h"
#include "merge.h"
#include "strategy.h"

/* The sources of one composition, lowest layer first. */
struct sources {
	const struct layer **layers;
	const char **paths; /* in the layers */
	struct loaded **loaded;
	struct stat *stats;
	size_t count;
};

static int sources_init(struct sources *sources, size_t capacity)
{
	*sources = (struct sources){
		.layers = calloc(capacity, sizeof(struct layer *)),
		.paths = calloc(capacity, sizeof(char *)),
		.loaded = calloc(capacity, sizeof(struct loaded *)),
		.stats = calloc(capacity, sizeof(struct stat)),
	};
	return sources->layers && sources->paths && sources->loaded && sources->stats ? 0 : -ENOMEM;
}

static void sources_add(struct sources *sources, const struct layer *layer, const char *path,
	struct loaded *loaded, const struct stat *stat)
{
	sources->layers[sources->count] = layer;
	sources->paths[sources->count] = path;
	sources->loaded[sources->count] = loaded;
	sources->stats[sources->count++] = *stat;
}

static void sources_drop(struct sources *sources, size_t i)
{
	loaded_unref(sources->loaded[i]);
	sources->count--;
	for (; i < sources->count; i++) {
		sources->layers[i] = sources->layers[i + 1];
		sources->paths[i] = sources->paths[i + 1];
		sources->loaded[i] = sources->loaded[i + 1];
		sources->stats[i] = sources->stats[i + 1];
	}
}

static void sources_fini(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		loaded_unref(sources->loaded[i]);
	free(sources->layers);
	free(sources->paths);
	free(sources->loaded);
	free(sources->stats);
}

static struct timespec newest_time(const struct stat *stats, size_t count)
{
	struct timespec newest = stats[0].st_mtim;

	for (size_t i = 1; i < count; i++)
		if (time_is_later(stats[i].st_mtim, newest))
			newest = stats[i].st_mtim;
	return newest;
}

/* "vendor:site", lowest first; a layer that gave several sources is named once. */
static char *layer_names(const struct layer *const *layers, size_t count)
{
	size_t size = 1;
	for (size_t i = 0; i < count; i++)
		size += strlen(layers[i]->name) + 1;

	char *names = malloc(size);
	char *end = names;
	if (!names)
		return NULL;
	*end = '\0';
	for (size_t i = 0; i < count; i++) {
		if (i && layers[i] == layers[i - 1])
			continue;
		if (i)
			*end++ = ':';
		end = stpcpy(end, layers[i]->name);
	}
	return names;
}

const struct options *compose_options(const struct settings *settings, const char *path)
{
	const struct virtual_file *file = settings_file(settings, path);

	return file ? &file->options : &settings_rule(settings, path)->options;
}

/* What all kinds of versions have in common. */
static int describe_from(const struct composer *composer, const struct stat *stats, size_t count,
	mode_t type, struct version *version)
{
	struct rights rights = rights_combine(stats, count, &composer->mounter);

	version->mode = type | rights.mode;
	version->uid = rights.uid;
	version->gid = rights.gid;
	version->mtime = newest_time(stats, count);
	version->stamps = calloc(count, sizeof(*version->stamps));
	if (!version->stamps)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		version->stamps[i] = stamp_of(&stats[i]);
	version->stamp_count = count;
	return 0;
}

static int describe(const struct composer *composer, const struct sources *sources, mode_t type,
	struct version *version)
{
	version->layers = layer_names(sources->layers, sources->count);
	if (!version->layers)
		return -ENOMEM;
	return describe_from(composer, sources->stats, sources->count, type, version);
}

/* As describe(), for what was made of more files than the path's own. */
static int describe_with(const struct composer *composer, const struct sources *sources,
	const struct environment *environment, struct version *version)
{
	size_t count = sources->count + environment->stat_count;

	if (!environment->stat_count)
		return describe(composer, sources, S_IFREG, version);
	CLEANUP(freep) struct stat *stats = calloc(count, sizeof(*stats));
	version->layers = layer_names(sources->layers, sources->count);
	if (!stats || !version->layers)
		return -ENOMEM;
	memcpy(stats, sources->stats, sources->count * sizeof(*stats));
	memcpy(stats + sources->count, environment->stats,
		environment->stat_count * sizeof(*stats));
	return describe_from(composer, stats, count, S_IFREG, version);
}

static int compose_link(const struct composer *composer, const char *path,
	const struct sighted *found, struct version **ret)
{
	const struct layer *layer = composer->settings->layers[found->layer];
	CLEANUP(sources_fini) struct sources sources = {0};

	int r = sources_init(&sources, 1);
	if (r < 0)
		return r;
	sources_add(&sources, layer, path, NULL, &found->stat);
	CLEANUP(version_unrefp) struct version *version = version_new(VERSION_LINK);
	if (!version)
		return -ENOMEM;
	r = layer_read_link(layer, path, &version->data);
	if (r == -ENOENT || r == -EINVAL)
		return COMPOSE_MOVED;
	if (r < 0)
		return r;
	version->size = strlen(version->data);
	r = describe(composer, &sources, S_IFLNK, version);
	if (r < 0)
		return r;
	version->mode = S_IFLNK | 0777; /* symlink(7): a link's mode has no meaning */
	version->strategy = "";
	*ret = take_ptr(version);
	return 0;
}

/* A large file of one layer: no copy. */
static int compose_held(const struct composer *composer, const char *path,
	const struct sighted *found, const struct strategy *strategy, struct version **ret)
{
	const struct layer *layer = composer->settings->layers[found->layer];
	CLEANUP(sources_fini) struct sources sources = {0};
	struct stat stat;

	int r = sources_init(&sources, 1);
	if (r < 0)
		return r;
	CLEANUP(version_unrefp) struct version *version = version_new(VERSION_HELD);
	if (!version)
		return -ENOMEM;
	version->fd = layer_open_file(layer, found->path ? found->path : path, &stat);
	if (version->fd == -ENOENT || version->fd == -ENOTDIR)
		return COMPOSE_MOVED;
	if (version->fd < 0)
		return version->fd;
	sources_add(&sources, layer, path, NULL, &stat);
	r = describe(composer, &sources, S_IFREG, version);
	if (r < 0)
		return r;
	version->size = (uint64_t)stat.st_size;
	version->strategy = strategy->name;
	*ret = take_ptr(version);
	return 0;
}

/*
 * Which of the contributors the strategy looks at: [*first, *first + *count) of `found`, which has
 * the highest layer first.
 */
static void select_contributors(const struct strategy *strategy, const struct sighting *sighting,
	unsigned *first, unsigned *count)
{
	*first = strategy->takes == STRATEGY_TAKES_LOWEST ? sighting->count - 1 : 0;
	*count = strategy->takes == STRATEGY_TAKES_ALL ? sighting->count : 1;
}

static bool skips_layers(const struct composer *composer)
{
	return composer->settings->on_error == ON_ERROR_SKIP_LAYER;
}

static int load_one(const struct composer *composer, const char *path, const struct sighted *found,
	const struct read_options *options, struct loaded **ret, struct problem *problem)
{
	const struct layer *layer = composer->settings->layers[found->layer];

	if (!found->error)
		return source_cache_load(composer->cache, layer, path, &found->stat, options,
			composer->takes_unfinished, ret, problem);

	CLEANUP(freep) char *name = NULL;
	int r = layer_source_name(layer, path, &name);
	if (r < 0)
		return r;
	return problem_set(problem, name, 0, 0,
		"cannot be looked at: %s; give the user that mounts the right to search its "
		"directory",
		strerror(found->error));
}

/* Loads what the strategy looks at, lowest layer first. */
static int load_sources(const struct composer *composer, const char *path,
	const struct sighting *sighting, const struct merge_request *request,
	struct sources *sources, struct problem *problem)
{
	const struct strategy *strategy = request->options->strategy;
	unsigned first;
	unsigned count;

	select_contributors(strategy, sighting, &first, &count);
	bool reads_document = strategy->reads_trees && !(count == 1 && strategy->is_verbatim);

	for (unsigned i = first + count; i-- > first;) {
		const struct sighted *found = &sighting->found[i];
		struct loaded *loaded;
		const char *place = found->path ? found->path : path;
		struct read_options options = read_options_for(request, format_of_name(place));
		int r = load_one(
			composer, place, found, reads_document ? &options : NULL, &loaded, problem);
		if (r == PROBLEM && skips_layers(composer))
			continue;
		if (r != 0)
			return r;
		sources_add(sources, composer->settings->layers[found->layer], place, loaded,
			&loaded->stat);
	}
	return sources->count ? 0 : PROBLEM;
}

/* The source that a merge problem speaks of; sources->count when it is none of them. */
static size_t blamed_source(const struct sources *sources, const struct problem *problem)
{
	size_t i = 0;

	while (i < sources->count && strcmp(sources->loaded[i]->source.name, problem->source) != 0)
		i++;
	return i;
}

/*
 * The others were left out, so the one that is left may be served byte for byte: which takes its
 * text, where a document was loaded.
 */
static int load_text(
	const struct composer *composer, struct sources *sources, struct problem *problem)
{
	struct loaded *loaded;

	if (!sources->loaded[0]->document)
		return 0;
	int r = source_cache_load(composer->cache, sources->layers[0], sources->paths[0],
		&sources->stats[0], NULL, composer->takes_unfinished, &loaded, problem);
	if (r != 0)
		return r;
	loaded_unref(sources->loaded[0]);
	sources->loaded[0] = loaded;
	sources->stats[0] = loaded->stat;
	return 0;
}

static int merge_sources(const struct composer *composer, struct merge_request *request,
	struct sources *sources, struct merge_result **ret, struct problem *problem)
{
	CLEANUP(freep) struct merge_input *inputs = calloc(sources->count, sizeof(*inputs));
	bool is_text_needed = request->options->strategy->is_verbatim;

	if (!inputs)
		return -ENOMEM;
	for (;;) {
		int r = 0;
		if (sources->count == 1 && is_text_needed)
			r = load_text(composer, sources, problem);
		if (r != 0)
			return r;
		for (size_t i = 0; i < sources->count; i++)
			inputs[i] = (struct merge_input){
				.source = sources->loaded[i]->source,
				.format = format_of_name(sources->paths[i]),
				.text = sources->loaded[i]->text,
				.document = sources->loaded[i]->document,
			};
		request->inputs = inputs;
		request->count = sources->count;
		r = merge_run(request, ret, problem);
		if (r != PROBLEM || !skips_layers(composer))
			return r;
		size_t blamed = blamed_source(sources, problem);
		if (blamed == sources->count || sources->count == 1)
			return r;
		sources_drop(sources, blamed);
	}
}

static int compose_file(const struct composer *composer, const char *path,
	const struct sighting *sighting, struct asked *asked, struct version **ret,
	struct problem *problem)
{
	const struct options *options = compose_options(composer->settings, path);
	struct merge_request request = {
		.options = options,
		.path = path,
		.to = format_of_name(path),
		.schema = composer->settings->schema,
		.limits = composer->settings->limits,
	};
	CLEANUP(environment_fini) struct environment environment;
	CLEANUP(sources_fini) struct sources sources = {0};
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;

	environment_init(&environment, composer, &request, asked);
	request.environment = &environment.callbacks;
	int r = sources_init(&sources, sighting->count);
	if (r == 0)
		r = load_sources(composer, path, sighting, &request, &sources, problem);
	if (r == 0)
		r = merge_sources(composer, &request, &sources, &result, problem);
	if (r == -EAGAIN)
		return COMPOSE_MOVED;
	if (r != 0)
		return r;

	CLEANUP(version_unrefp) struct version *version = version_new(VERSION_BYTES);
	if (!version)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < sources.count; i++)
		if (sources.paths[i] != path)
			r = environment_add_directories(
				&environment, sources.layers[i], sources.paths[i]);
	if (r == 0)
		r = describe_with(composer, &sources, &environment, version);
	if (r < 0)
		return r;
	version->size = result->text.len;
	version->data = malloc(version->size ? version->size : 1);
	if (!version->data)
		return -ENOMEM;
	memcpy(version->data, result->text.data, version->size);
	version->strategy = options->strategy->name;
	*ret = take_ptr(version);
	return 0;
}

/*
 * Whether the file is one layer's and too large to copy. A tree strategy must look for directives
 * in what it could read; beyond its limit there is nothing it could do about them.
 */
static const struct sighted *held_source(const struct composer *composer,
	const struct strategy *strategy, const struct sighting *sighting)
{
	unsigned first;
	unsigned count;
	size_t least = COMPOSE_HELD_BYTES;

	select_contributors(strategy, sighting, &first, &count);
	if (count != 1 || !strategy->is_verbatim || sighting->found[first].error)
		return NULL;
	if (strategy->reads_trees && composer->settings->limits.source_bytes > least)
		least = composer->settings->limits.source_bytes;
	return (uint64_t)sighting->found[first].stat.st_size > least ? &sighting->found[first]
								     : NULL;
}

int compose(const struct composer *composer, const char *path, const struct sighting *sighting,
	struct asked *asked, struct version **ret, struct problem *problem)
{
	if (sighting->kind == SIGHTING_LINK)
		return compose_link(composer, path, &sighting->found[0], ret);

	const struct strategy *strategy = compose_options(composer->settings, path)->strategy;
	const struct sighted *held = held_source(composer, strategy, sighting);
	if (held)
		return compose_held(composer, path, held, strategy, ret);
	return compose_file(composer, path, sighting, asked, ret, problem);
}

int compose_broken(const struct composer *composer, const char *path,
	const struct sighting *sighting, struct version **ret)
{
	CLEANUP(sources_fini) struct sources sources = {0};

	CLEANUP(version_unrefp) struct version *version = version_new(VERSION_BROKEN);
	int r = sources_init(&sources, sighting->count);
	if (r < 0 || !version)
		return -ENOMEM;
	for (unsigned i = sighting->count; i-- > 0;)
		sources_add(&sources, composer->settings->layers[sighting->found[i].layer], path,
			NULL, &sighting->found[i].stat);
	r = describe(composer, &sources, S_IFREG, version);
	if (r < 0)
		return r;
	/* Not 0: the kernel would not ask for the bytes of an empty file, and so see no EIO. */
	version->size = 1;
	version->strategy = compose_options(composer->settings, path)->strategy->name;
	*ret = take_ptr(version);
	return 0;
}

bool compose_is_current(const struct composer *composer, const char *path,
	const struct sighting *sighting, const struct version *version)
{
	const struct strategy *strategy = compose_options(composer->settings, path)->strategy;
	unsigned first = 0;
	unsigned count = 1;

	if (sighting->kind == SIGHTING_FILE)
		select_contributors(strategy, sighting, &first, &count);
	/* What was made of more files than these has more stamps. */
	if (version->kind == VERSION_BROKEN || version->stamp_count != count)
		return false;
	for (unsigned i = 0; i < count; i++) {
		const struct sighted *found = &sighting->found[first + count - 1 - i];
		struct stamp stamp = stamp_of(&found->stat);
		if (found->error || !stamp_equal(&stamp, &version->stamps[i]) ||
			source_is_young(&found->stat))
			return false;
	}
	return true;
}
