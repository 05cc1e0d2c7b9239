#include "dropin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "dropin_name.h"
#include "listing.h"
#include "parts.h"
#include "path.h"

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

/* Adds the highest layer's file at `path` as a source, unless it masks; the others are left out. */
static int add_highest(
	struct parts *parts, layer_mask layers, const char *path, const struct union_lookup *lookup)
{
	bool is_file = lookup->kind == UNION_FILE;
	int masking =
		masking_layer(parts->settings, layers, path, is_file ? lookup->found[0].layer : 0);
	int r = masking < -1 ? masking : 0;

	parts->first = parts->count;
	parts->number++;
	if (r == 0 && masking >= 0)
		r = parts_add_link(parts, is_file ? 0 : layers, (unsigned)masking, path);
	if (r == 0)
		r = parts_take(parts, lookup, path, NULL);
	return r == 0 ? parts_mask(parts, "a higher layer has a file of that name (dropins: uapi)")
		      : r;
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

/* `shown` are the layers that show the directory of `owner`, and answer. */
static int add_directory(struct parts *parts, const struct finder *finder, layer_mask shown,
	const char *owner, const char *directory)
{
	struct listing listing = {0};

	/* The finder keeps the index: do not make one for a directory that does not exist. */
	int r = union_look_up(parts->settings, shown, directory, parts->scratch);
	layer_mask layers = parts->scratch->layers;
	if (r == 0)
		r = union_knows_directory(parts->scratch);
	if (r < 0 || parts->scratch->kind != UNION_DIRECTORY)
		return r;
	r = finder->list(finder->context, directory, 0, pass, NULL);
	if (r == 0)
		r = listing_take(parts->settings, layers, directory, &listing);
	/* A name that is missing in an incomplete listing could be one that masks. */
	if (r == 0)
		r = -listing.error;
	for (size_t i = 0; r == 0 && i < listing.count; i++) {
		const char *name = listing.items[i].name;
		CLEANUP(freep) char *path = NULL;
		bool is_named = dropin_is_named(parts->settings, owner, name);
		if (listing.items[i].kind == UNION_DIRECTORY)
			continue;
		r = path_join(directory, name, &path);
		if (r == 0)
			r = union_look_up(parts->settings, layers, path, parts->scratch);
		if (r == 0)
			r = -parts->scratch->whiteout_error;
		if (r == 0)
			r = is_named ? add_highest(parts, layers, path, parts->scratch)
				     : parts_take(parts, parts->scratch, path, dropin_not_named);
	}
	listing_free(&listing);
	return r;
}

/* Makes the empty file that masks those of lower layers the only source. */
static int show_empty(struct parts *parts)
{
	struct contributor *first = parts->left_out;
	struct part empty = {.contributor = *first};

	empty.contributor.why = NULL;
	int r = array_push(parts->items, parts->count, parts->capacity, empty);
	if (r == 0)
		memmove(first, first + 1, --parts->left_out_count * sizeof(*first));
	return r;
}

int dropin_take_uapi(const struct finder *finder, const struct settings *settings,
	layer_mask layers, const char *path, struct union_lookup *ret)
{
	CLEANUP(parts_fini) struct parts parts = {.settings = settings};
	CLEANUP(freep) char *directory = NULL;
	/* A link that does not mask hides the layers below it, and a directory has no drop-ins. */
	int r = ret->kind == UNION_LINK ? masking_layer(settings, layers, path, ret->found[0].layer)
					: 0;
	if (ret->kind == UNION_DIRECTORY || r < 0)
		return r < -1 ? r : 0;
	r = 0;
	parts.scratch = union_lookup_new();
	if (!parts.scratch || asprintf(&directory, "%s" DROPIN_SUFFIX, path) < 0)
		return -ENOMEM;
	if (ret->kind != UNION_NONE)
		r = add_highest(&parts, layers, path, ret);
	if (r == 0)
		r = add_directory(&parts, finder, layers & ~union_timed_out(ret), path, directory);
	if (r == 0 && ret->kind == UNION_FILE && !parts.count &&
		strcmp(parts.left_out[0].why, DROPIN_LINK_MASKS) != 0)
		r = show_empty(&parts);
	return r == 0 && parts.count ? parts_hand_over(&parts, true, ret) : r;
}
