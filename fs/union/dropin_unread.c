#include "dropin_unread.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "dropin_name.h"
#include "expand.h"
#include "listing.h"
#include "path.h"

/* A search among the drop-ins of one file. */
struct unread_search {
	const struct settings *settings;
	const char *owner; /* the file's path */
	int (*each)(void *context, const struct layer *layer, const char *path, const char *why);
	void *context;
	struct union_lookup *lookup;
};

/* Stops at the first name of a drop-in. */
static int find_named(void *context, const char *name, unsigned char type)
{
	const struct unread_search *search = context;

	return type != DT_DIR && dropin_is_named(search->settings, search->owner, name);
}

/* Returns 1 if a drop-in would lie in the directory, 0, or -errno on a shortage. */
static int has_named(struct unread_search *search, const struct layer *layer, const char *directory)
{
	int r = layer_list(layer, directory, find_named, search);

	return layer_is_shortage(r) || r > 0 ? r : 0;
}

/* Returns 1 if the link leads to more than nothing, 0, or -errno on a shortage. */
static int leads(const struct layer *layer, const char *path)
{
	CLEANUP(freep) char *target = NULL;
	int r = layer_read_link(layer, path, &target);

	return layer_is_shortage(r) ? r : r == 0 && strcmp(target, "/dev/null") != 0;
}

static int report(struct unread_search *search, const struct layer *layer, const char *path,
	enum union_kind kind)
{
	const char *owner = path_name(search->owner);
	CLEANUP(freep) char *why = NULL;
	int n = kind == UNION_LINK
			? asprintf(&why,
				  "not read as a drop-in of %s: the layer follows no symbolic "
				  "links; give it 'follow: true', or put the file in the link's "
				  "place",
				  owner)
			: asprintf(&why,
				  "not read as a drop-in of %s: a directory; its files must lie in "
				  "%s" DROPIN_SUFFIX " itself",
				  owner, owner);

	return n < 0 ? -ENOMEM : search->each(search->context, layer, path, why);
}

/* Reports the object at `path` if it is a link or a directory that has drop-ins. */
static int examine(struct unread_search *search, const char *path, layer_mask layers)
{
	int r = union_look_up(search->settings, layers, path, search->lookup);
	const struct union_lookup *lookup = search->lookup;

	if (r < 0)
		return layer_is_shortage(r) ? r : 0;
	for (unsigned i = 0; r == 0 && i < lookup->count; i++) {
		const struct layer *layer = search->settings->layers[lookup->found[i].layer];
		int is_lost = lookup->kind == UNION_LINK ? leads(layer, path)
							 : has_named(search, layer, path);

		r = is_lost > 0 ? report(search, layer, path, lookup->kind) : is_lost;
	}
	return r;
}

static int search_directory(struct unread_search *search, const char *directory)
{
	struct listing listing = {0};
	int r = listing_take(search->settings, search->lookup->layers, directory, &listing);

	if (r == 0 && layer_is_shortage(-listing.error))
		r = -listing.error;
	for (size_t i = 0; r == 0 && i < listing.count; i++) {
		const struct listed *item = &listing.items[i];
		CLEANUP(freep) char *path = NULL;
		bool is_unread =
			item->kind == UNION_LINK
				? dropin_is_named(search->settings, search->owner, item->name)
				: item->kind == UNION_DIRECTORY && !expand_is_ignored(item->name);

		if (!is_unread)
			continue;
		r = path_join(directory, item->name, &path);
		if (r == 0)
			r = examine(search, path, item->layers);
	}
	listing_free(&listing);
	return r;
}

int dropin_unread_each(const struct settings *settings, const char *path,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *why),
	void *context)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(freep) char *directory = NULL;
	struct unread_search search = {settings, path, each, context, lookup};

	if (settings_rule(settings, path)->dropins == DROPINS_NONE)
		return 0;
	if (!lookup || asprintf(&directory, "%s" DROPIN_SUFFIX, path) < 0)
		return -ENOMEM;
	int r = union_look_up(settings, union_all_layers(settings), directory, lookup);
	if (r < 0)
		return layer_is_shortage(r) ? r : 0;
	if (lookup->kind == UNION_DIRECTORY)
		return search_directory(&search, directory);
	return lookup->kind == UNION_LINK ? examine(&search, directory, union_all_layers(settings))
					  : 0;
}
