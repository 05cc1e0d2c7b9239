#include "walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "entry.h"
#include "look.h"
#include "names.h"
#include "state.h"

static int walk_add(struct walk *walk, struct directory *directory)
{
	if (array_grow(walk->items, walk->count, walk->capacity) < 0)
		return -ENOMEM;
	walk->items[walk->count++] = directory;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the directories in `directory`, sorted. */
static int names_of_directories(struct directory *directory, char ***ret, size_t *count)
{
	int r = 0;

	*ret = NULL;
	*count = 0;
	char **names = calloc(directory->order.count + 1, sizeof(char *));
	if (!names)
		r = -ENOMEM;
	for (size_t i = 0; r == 0 && i < directory->order.count; i++) {
		const struct entry *entry = directory_listed(directory, i);
		if (!entry || entry->kind != UNION_DIRECTORY)
			continue;
		names[*count] = strdup(entry->name);
		if (!names[*count])
			r = -ENOMEM;
		else
			++*count;
	}
	if (*count)
		qsort(names, *count, sizeof(char *), compare_names);
	*ret = names;
	return r;
}

static bool is_in_itself_in(const struct directory *directory, size_t layer)
{
	const struct stamp *own = &directory->identities[layer];

	for (const struct directory *up = directory->parent; up; up = up->parent) {
		const struct stamp *above = &up->identities[layer];
		if (up->layers >> layer & 1 && above->dev == own->dev && above->ino == own->ino)
			return true;
	}
	return false;
}

/*
 * Returns whether, in every layer that shows it, the directory is one of those above it, because
 * the layer follows links. Two such links in one directory would make an endless tree, twice as
 * wide with each level.
 */
static bool is_in_itself(const struct directory *directory)
{
	bool is_inside = directory->layers != 0;
	for (size_t i = 0; is_inside && i < directory->watches.count; i++)
		if (directory->layers >> i & 1)
			is_inside = is_in_itself_in(directory, i);
	return is_inside;
}

static bool is_missing(int result)
{
	return result == -ENOENT || result == -ENOTDIR;
}

/* Returns 0 also if it is no directory any more. */
static int walk_child(
	struct view *view, struct walk *walk, struct directory *directory, const char *name)
{
	struct directory *child;
	int r = lookup_enter(view, directory, name, &child);

	if (r < 0)
		return is_missing(r) ? 0 : r;
	bool is_walked = !is_in_itself(child);
	if (is_walked)
		r = walk_add(walk, child);
	if (r < 0 || !is_walked) {
		directory_leave(view, child);
	}
	return r;
}

static int walk_into(struct view *view, struct walk *walk, struct directory *directory)
{
	char **names;
	size_t count;

	int r = names_complete(view, directory);
	if (r < 0)
		return r;
	r = names_of_directories(directory, &names, &count);
	for (size_t i = 0; i < count; i++) {
		if (r == 0)
			r = walk_child(view, walk, directory, names[i]);
		free(names[i]);
	}
	free(names);
	return r;
}

void walk_leave(struct view *view, struct walk *walk)
{
	for (size_t i = walk->count; i-- > 0;)
		directory_leave(view, walk->items[i]);
	if (walk->above)
		directory_leave(view, walk->above);
	free(walk->items);
	*walk = (struct walk){0};
}

/* As lookup_enter_path(). If it does not exist, *above reports its creation. */
static int enter_top(
	struct view *view, const char *path, struct directory **ret, struct directory **above)
{
	CLEANUP(freep) char *shorter = strdup(path);
	int r = shorter ? lookup_enter_path(view, path, ret) : -ENOMEM;
	int r_above = r;

	while (is_missing(r_above)) {
		char *slash = strrchr(shorter, '/');
		*(slash ? slash : shorter) = '\0';
		r_above = lookup_enter_path(view, shorter, above);
	}
	/* It may have been created before the directory above had a watch. */
	if (is_missing(r) && r_above == 0)
		r = lookup_enter_path(view, path, ret);
	return r_above < 0 ? r_above : r;
}

int walk_under(struct view *view, const char *path, int depth, struct walk *walk)
{
	struct directory *top;
	int r = enter_top(view, path, &top, &walk->above);
	if (is_missing(r))
		return 0;
	if (r == 0)
		r = walk_add(walk, top);
	/* The last level is completed as well, but not entered. */
	size_t level_end = walk->count;
	for (size_t i = 0; r == 0 && i < walk->count; i++) {
		if (i == level_end && depth > 0) {
			depth--;
			level_end = walk->count;
		}
		r = depth == 0 ? names_complete(view, walk->items[i])
			       : walk_into(view, walk, walk->items[i]);
	}
	return r;
}
