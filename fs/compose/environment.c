#include "environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ancestors.h"
#include "array.h"
#include "cleanup.h"
#include "descriptor.h"
#include "path.h"
#include "path_list.h"

/* The sources of one path. */
struct path_sources {
	struct path_sources *next;
	struct loaded *loaded[LAYERS_MAX];
	struct merge_input inputs[LAYERS_MAX];
	size_t count;
};

/* Notes a dependency. `asked` NULL: the caller wants none. */
static int remember(struct path_list *asked, const char *directory, const char *name)
{
	if (!asked)
		return 0;
	for (size_t i = 0; i < asked->count; i += 2)
		if (strcmp(asked->paths[i], directory) == 0 &&
			strcmp(asked->paths[i + 1], name) == 0)
			return 0;
	return path_list_add_pair(asked, directory, name);
}

/* Adds a file that contributes: the result's rights follow from it. */
static int add_stat(struct environment *environment, const struct stat *stat)
{
	return array_push(
		environment->stats, environment->stat_count, environment->stat_capacity, *stat);
}

/* Adds the directory's search rights: a user without them may not read a file in it. */
static int add_guard(void *context, const struct stat *directory)
{
	struct stat guard = *directory;

	guard.st_mode = rights_of_files_in(directory->st_mode);
	guard.st_mtim = (struct timespec){0};
	return add_stat(context, &guard);
}

/* Adds the directories that links bypass. */
static int guard_way(struct environment *environment, const struct layer *layer, const char *path)
{
	if (!layer->follow || layer_is_delegated(layer))
		return 0;
	CLEANUP(closep) int fd = layer_open_path(layer, path);
	int r = ancestors_each_closed(layer, path, fd, add_guard, environment);
	/* layer_stat_rights() includes them if a worker looks the path up. */
	return r == -EREMOTE ? 0 : r;
}

int environment_guard(struct environment *environment, const struct layer *layer, const char *path)
{
	CLEANUP(freep) char *directory = strdup(path);
	int r = directory ? 0 : -ENOMEM;

	for (char *slash; r == 0 && (slash = strrchr(directory, '/'));) {
		struct stat stat;
		*slash = '\0';
		/* The mount shows that directory, too, where it guards the result. */
		const char *inner = path_within(environment->request->path, directory);
		if (inner && *inner)
			break;
		int found = layer_stat(layer, directory, &stat);
		if (layer_says_nothing(found))
			return found;
		if (found < 0)
			stat = (struct stat){0};
		if ((stat.st_mode & 0111) != 0111)
			r = add_guard(environment, &stat);
	}
	return r == 0 ? guard_way(environment, layer, path) : r;
}

int environment_guard_again(struct environment *environment, const struct layer *layer,
	const char *path, const struct stat *loaded)
{
	struct stat now;

	int r = layer_stat(layer, path, &now);
	if (layer_says_nothing(r))
		return r;
	if (r < 0 || now.st_dev != loaded->st_dev || now.st_ino != loaded->st_ino)
		return SOURCE_MOVED;
	return environment_guard(environment, layer, path);
}

/* Loads a source that the lookup could examine. Returns as environment_load(), or -errno: the file
 * system of the source, or of a directory above it, has failed. */
static int load_seen(struct environment *environment, const char *path,
	const struct contributor *found, const struct read_options *options, struct loaded **ret,
	struct problem *problem)
{
	const struct composer *composer = environment->composer;
	const struct layer *layer = composer->settings->layers[found->layer];

	int r = environment_guard(environment, layer, path);
	if (r == 0)
		r = compose_load(composer, path, found, options, ret, problem);
	if (r != 0)
		return r;
	r = environment_guard_again(environment, layer, path, &(*ret)->stat);
	if (r != 0)
		loaded_unref(*ret);
	return r;
}

int environment_load(struct environment *environment, const char *path,
	const struct contributor *found, const struct read_options *options, struct loaded **ret,
	struct problem *problem)
{
	struct contributor unseen = *found;
	size_t others = environment->stat_count;

	if (!unseen.error) {
		int r = load_seen(environment, path, found, options, ret, problem);
		if (!layer_has_failed(r)) {
			/* A source that is left out guards nothing. */
			if (r != 0)
				environment->stat_count = others;
			return r;
		}
		unseen.error = -r;
	}
	return compose_load(environment->composer, path, &unseen, options, ret, problem);
}

/* Loads the path's sources as compose() does, lowest layer first. */
static int load(struct environment *environment, const char *path,
	const struct union_lookup *lookup, struct path_sources *given, struct problem *problem)
{
	const struct format *format = settings_format(environment->composer->settings, path);
	struct read_options options = read_options_for(environment->request, format);
	bool reads_document = options.format;

	for (unsigned i = lookup->count; i-- > 0;) {
		const struct contributor *found = &lookup->found[i];
		struct loaded *loaded;
		int r = environment_load(environment, path, found, reads_document ? &options : NULL,
			&loaded, problem);
		if (r != 0)
			return r;
		given->loaded[given->count] = loaded;
		given->inputs[given->count++] = (struct merge_input){
			.source = loaded->source,
			.format = format,
			.text = loaded->text,
			.document = loaded->document,
		};
		r = add_stat(environment, &loaded->stat);
		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * Looks up the file. With `below`, only layers of ranks below that count. Returns 0 with the path
 * in *ret, for free(3); FINDER_ABSENT; or -errno.
 */
static int look_up(const struct composer *composer, const char *directory, const char *name,
	size_t below, struct union_lookup *lookup, char **ret)
{
	const struct finder *finder = composer->finder;
	layer_mask counted = ~(layer_mask)0 >> (below ? LAYERS_MAX - below : 0);
	layer_mask layers;
	size_t skip = 0;
	int r = FINDER_ABSENT;

	do {
		free(*ret);
		*ret = NULL;
		if (finder)
			r = finder->find(finder->context, directory, name, skip++, ret, &layers);
		if (r == 0)
			r = union_look_up(composer->settings, layers & counted, *ret, lookup);
		/* The layers below may be hidden. */
		if (r == 0)
			r = -lookup->whiteout_error;
	} while (r == 0 && below && lookup->kind != UNION_FILE);
	return r == 0 && lookup->kind != UNION_FILE ? FINDER_ABSENT : r;
}

static int find(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem)
{
	struct environment *environment = context;
	const struct composer *composer = environment->composer;
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(freep) char *path = NULL;

	int r = remember(environment->asked, directory, name);
	if (r < 0 || !lookup)
		return -ENOMEM;
	r = look_up(composer, directory, name, *count, lookup, &path);
	if (r != 0)
		return r == FINDER_ABSENT ? MERGE_ABSENT : r;

	struct path_sources *given = calloc(1, sizeof(*given));
	if (!given)
		return -ENOMEM;
	given->next = environment->given;
	environment->given = given;
	r = load(environment, path, lookup, given, problem);
	if (r == SOURCE_MOVED || r == SOURCE_UNSETTLED)
		return -EAGAIN; /* compose() looks the path up again */
	if (r != 0)
		return r;
	*ret = given->inputs;
	*count = given->count;
	return 0;
}

void environment_init(struct environment *environment, const struct composer *composer,
	const struct merge_request *request, struct path_list *asked)
{
	*environment = (struct environment){
		.callbacks = {.find = find, .context = environment},
		.composer = composer,
		.request = request,
		.asked = asked,
	};
}

void environment_fini(struct environment *environment)
{
	for (struct path_sources *given = environment->given, *next; given; given = next) {
		next = given->next;
		for (size_t i = 0; i < given->count; i++)
			loaded_unref(given->loaded[i]);
		free(given);
	}
	free(environment->stats);
}
