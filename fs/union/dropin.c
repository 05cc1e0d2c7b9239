#include "dropin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "dropin_name.h"
#include "listing.h"
#include "path.h"

struct dropins {
	const struct settings *settings;
	struct contributor *sources; /* lowest precedence first; their paths are owned */
	size_t source_count;
	size_t source_capacity;
	struct contributor *left_out; /* the same order and ownership */
	size_t left_out_count;
	size_t left_out_capacity;
	struct union_lookup *scratch;
};

static void free_paths(struct contributor *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((char *)(uintptr_t)items[i].path);
	free(items);
}

static void dropins_fini(struct dropins *dropins)
{
	free_paths(dropins->sources, dropins->source_count);
	free_paths(dropins->left_out, dropins->left_out_count);
	if (dropins->scratch)
		union_lookup_freep(&dropins->scratch);
}

/* Adds a source, or, if `why` is not NULL, a file that is left out. */
static int add(
	struct dropins *dropins, const struct contributor *found, const char *path, const char *why)
{
	char *copy = strdup(path);
	struct contributor added = *found;

	added.path = copy;
	added.why = why;
	int r = !copy ? -ENOMEM
		: why ? array_push(dropins->left_out, dropins->left_out_count,
				dropins->left_out_capacity, added)
		      : array_push(dropins->sources, dropins->source_count,
				dropins->source_capacity, added);
	if (r < 0)
		free(copy);
	return r;
}

/*
 * Returns the highest layer above `below` in which the path is a link to /dev/null, -1 if there is
 * none, or -errno if that is unknown.
 */
static int masking_layer(
	const struct settings *settings, layer_mask layers, const char *path, unsigned below)
{
	for (unsigned i = (unsigned)settings->layer_count; i-- > below;) {
		CLEANUP(freep) char *target = NULL;
		int r = layers >> i & 1 ? layer_read_link(settings->layers[i], path, &target)
					: -ENOENT;
		if (layer_says_nothing(r))
			return r;
		if (r == 0 && strcmp(target, "/dev/null") == 0)
			return (int)i;
	}
	return -1;
}

static const char empty_masks[] = "an empty file masks (dropins: uapi)";

/* Adds the highest layer's file at `path` as a source, unless it masks; the others are left out. */
static int add_highest(struct dropins *dropins, layer_mask layers, const char *path,
	const struct union_lookup *lookup)
{
	const struct contributor *highest = &lookup->found[0];
	bool is_file = lookup->kind == UNION_FILE;
	int masking = masking_layer(dropins->settings, layers, path, is_file ? highest->layer : 0);
	bool is_empty = is_file && !highest->error && highest->stat.st_size == 0;
	const char *rule = "a higher layer has a file of that name (dropins: uapi)";
	int r = masking < -1 ? masking : 0;

	if (r == 0 && masking >= 0) {
		const struct contributor link = {.layer = (unsigned)masking};
		r = add(dropins, &link, path, DROPIN_LINK_MASKS);
		rule = DROPIN_LINK_MASKED;
	}
	for (int i = is_file ? 0 : masking; r == 0 && i-- > 0;) {
		struct contributor hidden = {.layer = (unsigned)i};
		if (layers >> i & 1 &&
			layer_stat(dropins->settings->layers[i], path, &hidden.stat) == 0 &&
			S_ISREG(hidden.stat.st_mode))
			r = add(dropins, &hidden, path, rule);
	}
	for (unsigned i = 0; r == 0 && is_file && i < lookup->count; i++) {
		bool is_taken = i == 0 && masking < 0 && !is_empty;
		if (i == 0 && masking < 0 && is_empty) {
			r = add(dropins, highest, path, empty_masks);
			rule = "masked by an empty file (dropins: uapi)";
			continue;
		}
		r = add(dropins, &lookup->found[i], path, is_taken ? NULL : rule);
	}
	return r;
}

/* Makes the index watch the directory; its names come from a listing, which also has links. */
static int pass(void *context, const char *path, const char *name, layer_mask layers)
{
	(void)context;
	(void)path;
	(void)name;
	(void)layers;
	return 0;
}

static int ignore(struct dropins *dropins, const char *path, const struct union_lookup *lookup)
{
	int r = 0;

	for (unsigned i = 0; r == 0 && lookup->kind == UNION_FILE && i < lookup->count; i++) {
		struct contributor ignored = dropin_ignored(&lookup->found[i]);
		r = add(dropins, &ignored, path, ignored.why);
	}
	return r;
}

/* `shown` are the layers that show the directory of `owner`, and answer. */
static int add_directory(struct dropins *dropins, const struct finder *finder, layer_mask shown,
	const char *owner, const char *directory)
{
	struct listing listing = {0};

	/* The finder keeps the index: do not make one for a directory that does not exist. */
	int r = union_look_up(dropins->settings, shown, directory, dropins->scratch);
	layer_mask layers = dropins->scratch->layers;
	if (r == 0)
		r = union_knows_directory(dropins->scratch);
	if (r < 0 || dropins->scratch->kind != UNION_DIRECTORY)
		return r;
	r = finder->list(finder->context, directory, 0, pass, NULL);
	if (r == 0)
		r = listing_take(dropins->settings, layers, directory, &listing);
	/* A name that is missing in an incomplete listing could be one that masks. */
	if (r == 0)
		r = -listing.error;
	for (size_t i = 0; r == 0 && i < listing.count; i++) {
		const char *name = listing.items[i].name;
		CLEANUP(freep) char *path = NULL;
		bool is_named = dropin_is_named(dropins->settings, owner, name);
		if (listing.items[i].kind == UNION_DIRECTORY)
			continue;
		r = path_join(directory, name, &path);
		if (r == 0)
			r = union_look_up(dropins->settings, layers, path, dropins->scratch);
		if (r == 0)
			r = -dropins->scratch->whiteout_error;
		if (r == 0)
			r = is_named ? add_highest(dropins, layers, path, dropins->scratch)
				     : ignore(dropins, path, dropins->scratch);
	}
	listing_free(&listing);
	return r;
}

static int hand_over(struct dropins *dropins, struct union_lookup *ret)
{
	size_t count = dropins->source_count + dropins->left_out_count;
	struct contributor *all = calloc(count, sizeof(*all));

	if (!all)
		return -ENOMEM;
	union_lookup_reset(ret);
	ret->kind = UNION_FILE;
	for (size_t i = 0; i < dropins->source_count; i++) {
		all[i] = dropins->sources[dropins->source_count - 1 - i];
		ret->layers |= (layer_mask)1 << all[i].layer;
	}
	if (dropins->left_out_count)
		memcpy(all + dropins->source_count, dropins->left_out,
			dropins->left_out_count * sizeof(*all));
	ret->found = ret->expanded = all;
	ret->count = (unsigned)dropins->source_count;
	ret->left_out_count = (unsigned)dropins->left_out_count;
	dropins->source_count = dropins->left_out_count = 0;
	return 0;
}

/* Makes the empty file that masks those of lower layers the only source. */
static int show_empty(struct dropins *dropins)
{
	struct contributor *first = dropins->left_out;
	struct contributor empty = *first;

	empty.why = NULL;
	int r = array_push(
		dropins->sources, dropins->source_count, dropins->source_capacity, empty);
	if (r == 0)
		memmove(first, first + 1, --dropins->left_out_count * sizeof(*first));
	return r;
}

int dropin_take_uapi(const struct finder *finder, const struct settings *settings,
	layer_mask layers, const char *path, struct union_lookup *ret)
{
	CLEANUP(dropins_fini) struct dropins dropins = {.settings = settings};
	CLEANUP(freep) char *directory = NULL;
	/* A link that does not mask hides the layers below it, and a directory has no drop-ins. */
	int r = ret->kind == UNION_LINK ? masking_layer(settings, layers, path, ret->found[0].layer)
					: 0;
	if (ret->kind == UNION_DIRECTORY || r < 0)
		return r < -1 ? r : 0;
	r = 0;
	dropins.scratch = union_lookup_new();
	if (!dropins.scratch || asprintf(&directory, "%s" DROPIN_SUFFIX, path) < 0)
		return -ENOMEM;
	if (ret->kind != UNION_NONE)
		r = add_highest(&dropins, layers, path, ret);
	if (r == 0)
		r = add_directory(
			&dropins, finder, layers & ~union_timed_out(ret), path, directory);
	if (r == 0 && ret->kind == UNION_FILE && !dropins.source_count &&
		dropins.left_out[0].why == empty_masks)
		r = show_empty(&dropins);
	return r == 0 && dropins.source_count ? hand_over(&dropins, ret) : r;
}
