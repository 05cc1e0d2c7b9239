#include "traverse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "expand.h"
#include "listing.h"
#include "path.h"

/*
 * A directory on the way down, with its inode in each layer, so that it is recognised further down.
 */
struct level {
	const struct level *above;
	int depth; /* further levels to descend; below 0: any */
	unsigned count;
	struct {
		unsigned layer;
		dev_t dev;
		ino_t ino;
	} of[LAYERS_MAX];
};

static bool is_above(const struct level *level, unsigned layer, const struct stat *stat)
{
	for (const struct level *up = level; up; up = up->above)
		for (unsigned i = 0; i < up->count; i++)
			if (up->of[i].layer == layer && up->of[i].dev == stat->st_dev &&
				up->of[i].ino == stat->st_ino)
				return true;
	return false;
}

/* Returns whether, in every layer, it is one of the directories above. */
static bool is_in_itself(const struct level *above, const struct union_lookup *lookup)
{
	for (unsigned i = 0; i < lookup->count; i++)
		if (!is_above(above, lookup->found[i].layer, &lookup->found[i].stat))
			return false;
	return lookup->count > 0;
}

static int look_up(const struct traversal *traversal, layer_mask layers, const char *path,
	struct union_lookup *ret)
{
	if (traversal->finder)
		return expand_look_up(traversal->finder, traversal->settings, layers, path, ret);
	int r = union_look_up(traversal->settings, layers, path, ret);
	/* No source of a virtual file is in a directory at such a file's path. */
	if (r == 0 && ret->kind == UNION_DIRECTORY && settings_file(traversal->settings, path))
		union_lookup_reset(ret);
	return r;
}

static struct level *level_new(
	const struct level *above, int depth, const struct union_lookup *lookup)
{
	struct level *level = calloc(1, sizeof(*level));

	if (!level)
		return NULL;
	level->above = above;
	level->depth = above ? above->depth - 1 : depth;
	for (unsigned i = 0; i < lookup->count && i < LAYERS_MAX; i++) {
		level->of[i].layer = lookup->found[i].layer;
		level->of[i].dev = lookup->found[i].stat.st_dev;
		level->of[i].ino = lookup->found[i].stat.st_ino;
		level->count++;
	}
	return level;
}

static int compare_listed(const void *a, const void *b)
{
	return strcmp(((const struct listed *)a)->name, ((const struct listed *)b)->name);
}

/*
 * Adds the names that only expanding shows. If the listing has a name already, expanding decides
 * its kind.
 */
static int add_expanded(const struct traversal *traversal, const struct traversed *directory,
	struct listing *listing)
{
	struct listing more = {0};
	size_t known = listing->count;

	if (!traversal->finder || !expand_is_needed(traversal->settings))
		return 0;
	int r = expand_names(traversal->finder, traversal->settings, directory->own,
		directory->path, listing, &more);
	if (r < 0)
		return r;
	struct listed *items = reallocarray(listing->items, known + more.count + 1, sizeof(*items));
	if (items)
		listing->items = items;
	for (size_t i = 0; items && i < more.count; i++) {
		struct listed *found =
			bsearch(&more.items[i], items, known, sizeof(*items), compare_listed);
		if (found) {
			found->kind = more.items[i].kind;
			continue;
		}
		items[listing->count++] = more.items[i];
		more.items[i].name = NULL;
	}
	listing_free(&more);
	if (!items)
		return -ENOMEM;
	qsort(items, listing->count, sizeof(*items), compare_listed);
	return 0;
}

static int visit(const struct traversal *traversal, const struct level *above, const char *path,
	layer_mask layers, enum union_kind kind);

/* A source of a virtual file may lie there all the same. */
static bool is_unshown(const struct traversal *traversal, const char *path)
{
	return traversal->finder && settings_is_own(path);
}

static int visit_names(const struct traversal *traversal, const struct level *level,
	const struct traversed *directory, const struct listing *listing)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < listing->count; i++) {
		CLEANUP(freep) char *path = NULL;
		if (level->depth == 0 && listing->items[i].kind == UNION_DIRECTORY)
			continue;
		r = path_join(directory->path, listing->items[i].name, &path);
		if (r == 0 && !is_unshown(traversal, path))
			r = visit(traversal, level, path, directory->own, listing->items[i].kind);
	}
	return r;
}

/* `level` is that of the directory itself. */
static int visit_directory(
	const struct traversal *traversal, const struct level *level, struct traversed *directory)
{
	struct listing listing = {0};

	int r = listing_take(traversal->settings, directory->own, directory->path, &listing);
	if (r < 0)
		return r;
	directory->error = listing.error;
	r = add_expanded(traversal, directory, &listing);
	if (r == 0)
		r = traversal->each(traversal->context, directory);
	if (r == 0)
		r = visit_names(traversal, level, directory, &listing);
	listing_free(&listing);
	return r;
}

/* Looks up `path`. The lookup, which is large, is freed before the names below are visited. */
static int look(const struct traversal *traversal, const struct level *above, const char *path,
	layer_mask layers, struct traversed *found, struct level **level)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();

	if (!lookup)
		return -ENOMEM;
	int r = look_up(traversal, layers, path, lookup);
	if (r < 0)
		return r;
	*found = (struct traversed){path, lookup->kind, layers, lookup->layers, 0};
	if (lookup->kind != UNION_DIRECTORY || is_in_itself(above, lookup))
		return 0;
	*level = level_new(above, traversal->depth, lookup);
	return *level ? 0 : -ENOMEM;
}

/* A file needs no lookup: the listing has its kind. */
static int visit(const struct traversal *traversal, const struct level *above, const char *path,
	layer_mask layers, enum union_kind kind)
{
	struct traversed found = {path, kind, layers, 0, 0};
	CLEANUP(freep) struct level *level = NULL;

	if (kind == UNION_DIRECTORY) {
		int r = look(traversal, above, path, layers, &found, &level);
		if (r < 0)
			return r;
		if (level)
			return visit_directory(traversal, level, &found);
	}
	/* The name has gone, is of another kind now, or is a directory that leads in a circle. */
	if (found.kind == UNION_NONE || found.kind == UNION_DIRECTORY)
		return 0;
	return traversal->each(traversal->context, &found);
}

int traverse_enter(const struct traversal *traversal, const char *path, layer_mask *ret)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(freep) char *copy = strdup(path);

	if (!lookup || !copy)
		return -ENOMEM;
	*ret = union_all_layers(traversal->settings);
	for (char *slash = strchr(copy, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int r = look_up(traversal, *ret, copy, lookup);
		*slash = '/';
		if (r < 0)
			return r;
		if (lookup->kind != UNION_DIRECTORY)
			return lookup->kind == UNION_NONE ? -ENOENT : -ENOTDIR;
		*ret = lookup->layers;
	}
	return 0;
}

int traverse(const struct traversal *traversal, const char *path)
{
	CLEANUP(freep) struct level *level = NULL;
	struct traversed found;
	layer_mask layers;

	int r = is_unshown(traversal, path) ? -ENOENT : traverse_enter(traversal, path, &layers);
	if (r == 0)
		r = look(traversal, NULL, path, layers, &found, &level);
	if (r < 0)
		return r;
	/* If all layers are missing, there is a root with nothing in it. */
	if (found.kind == UNION_NONE)
		return *path ? -ENOENT : 0;
	return level ? visit_directory(traversal, level, &found)
		     : traversal->each(traversal->context, &found);
}

int traverse_compare(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	/* A slash ends a directory's name, so it sorts before every other byte. */
	unsigned x = *a == '/' ? 0 : (unsigned char)*a, y = *b == '/' ? 0 : (unsigned char)*b;
	if (x != y)
		return x < y ? -1 : 1;
	return (*a == '/') - (*b == '/');
}
