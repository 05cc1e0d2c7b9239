#include "survey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "expand.h"

/* A directory on the way down, and what it is in each layer: to know it again further down. */
struct level {
	const struct level *above;
	unsigned count;
	struct {
		unsigned layer;
		dev_t dev;
		ino_t ino;
	} of[LAYERS_MAX];
};

struct surveyor {
	struct view *view;
	const struct settings *settings;
	int (*each)(void *context, const struct surveyed *found);
	void *context;
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

/* Whether in every layer it is one of the directories above: as for references (reference.h). */
static bool is_in_itself(const struct level *above, const struct sighting *sighting)
{
	for (unsigned i = 0; i < sighting->count; i++)
		if (!is_above(above, sighting->found[i].layer, &sighting->found[i].stat))
			return false;
	return sighting->count > 0;
}

static struct level *level_new(const struct level *above, const struct sighting *sighting)
{
	struct level *level = calloc(1, sizeof(*level));

	if (!level)
		return NULL;
	level->above = above;
	for (unsigned i = 0; i < sighting->count && i < LAYERS_MAX; i++) {
		level->of[i].layer = sighting->found[i].layer;
		level->of[i].dev = sighting->found[i].stat.st_dev;
		level->of[i].ino = sighting->found[i].stat.st_ino;
		level->count++;
	}
	return level;
}

static int compare_listed(const void *a, const void *b)
{
	return strcmp(((const struct listed *)a)->name, ((const struct listed *)b)->name);
}

/* Adds what only expanding shows. A name that both have is what expanding makes of it. */
static int add_expanded(
	const struct surveyor *surveyor, const struct surveyed *directory, struct listing *listing)
{
	struct listing more = {0};
	size_t known = listing->count;

	if (!expand_is_needed(surveyor->settings))
		return 0;
	int r = expand_names(surveyor->view, surveyor->settings, directory->own, directory->path,
		listing, &more);
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

static int visit(const struct surveyor *surveyor, const struct level *above, const char *path,
	layer_mask layers, enum sighting_kind kind);

static int visit_names(const struct surveyor *surveyor, const struct level *level,
	const struct surveyed *directory, const struct listing *listing)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < listing->count; i++) {
		CLEANUP(freep) char *path = NULL;
		if (asprintf(&path, "%s%s%s", directory->path, *directory->path ? "/" : "",
			    listing->items[i].name) < 0)
			return -ENOMEM;
		r = visit(surveyor, level, path, directory->own, listing->items[i].kind);
	}
	return r;
}

/* `level` is the directory's own. */
static int visit_directory(
	const struct surveyor *surveyor, const struct level *level, struct surveyed *directory)
{
	struct listing listing = {0};

	int r = listing_take(surveyor->settings, directory->own, directory->path, &listing);
	if (r < 0)
		return r;
	directory->error = listing.error;
	r = add_expanded(surveyor, directory, &listing);
	if (r == 0)
		r = surveyor->each(surveyor->context, directory);
	if (r == 0)
		r = visit_names(surveyor, level, directory, &listing);
	listing_free(&listing);
	return r;
}

/* What is at `path` now; nothing is left of the sighting when what is below is visited. */
static int look(const struct surveyor *surveyor, const struct level *above, const char *path,
	layer_mask layers, struct surveyed *found, struct level **level)
{
	CLEANUP(sighting_freep) struct sighting *sighting = sighting_new();

	if (!sighting)
		return -ENOMEM;
	int r = expand_take(surveyor->view, surveyor->settings, layers, path, sighting);
	if (r < 0)
		return r;
	*found = (struct surveyed){path, sighting->kind, layers, sighting->layers, 0};
	if (sighting->kind != SIGHTING_DIRECTORY || is_in_itself(above, sighting))
		return 0;
	*level = level_new(above, sighting);
	return *level ? 0 : -ENOMEM;
}

/* Files need no second look: the listing has told what they are. */
static int visit(const struct surveyor *surveyor, const struct level *above, const char *path,
	layer_mask layers, enum sighting_kind kind)
{
	struct surveyed found = {path, kind, layers, 0, 0};
	CLEANUP(freep) struct level *level = NULL;

	if (kind == SIGHTING_DIRECTORY) {
		int r = look(surveyor, above, path, layers, &found, &level);
		if (r < 0)
			return r;
		if (level)
			return visit_directory(surveyor, level, &found);
	}
	/* It went away, or became something else, or leads in a circle. */
	if (found.kind == SIGHTING_NONE || found.kind == SIGHTING_DIRECTORY)
		return 0;
	return surveyor->each(surveyor->context, &found);
}

/* The layers that show the directory that `path` is in. */
static int enter(const struct surveyor *surveyor, const char *path, layer_mask *ret)
{
	CLEANUP(sighting_freep) struct sighting *sighting = sighting_new();
	CLEANUP(freep) char *copy = strdup(path);

	if (!sighting || !copy)
		return -ENOMEM;
	*ret = sighting_all_layers(surveyor->settings);
	for (char *slash = strchr(copy, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int r = expand_take(surveyor->view, surveyor->settings, *ret, copy, sighting);
		*slash = '/';
		if (r < 0)
			return r;
		if (sighting->kind != SIGHTING_DIRECTORY)
			return sighting->kind == SIGHTING_NONE ? -ENOENT : -ENOTDIR;
		*ret = sighting->layers;
	}
	return 0;
}

int survey(struct view *view, const char *path,
	int (*each)(void *context, const struct surveyed *found), void *context)
{
	const struct surveyor surveyor = {view, view->composer.settings, each, context};
	CLEANUP(freep) struct level *level = NULL;
	struct surveyed found;
	layer_mask layers;

	int r = enter(&surveyor, path, &layers);
	if (r == 0)
		r = look(&surveyor, NULL, path, layers, &found, &level);
	if (r < 0)
		return r;
	/* With all layers missing there is a root, and nothing in it. */
	if (found.kind == SIGHTING_NONE)
		return *path ? -ENOENT : 0;
	return level ? visit_directory(&surveyor, level, &found) : each(context, &found);
}

int survey_compare(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	/* A directory's name ends where its slash is, which comes before every other byte. */
	unsigned x = *a == '/' ? 0 : (unsigned char)*a, y = *b == '/' ? 0 : (unsigned char)*b;
	if (x != y)
		return x < y ? -1 : 1;
	return (*a == '/') - (*b == '/');
}
