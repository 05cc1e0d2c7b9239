#include "listing.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "await.h"
#include "cleanup.h"

/* Names after which other coroutines run: a huge directory must not stop the mount. */
#define TURN 512

/* A name in one layer, before the layers are merged. */
struct name_in_layer {
	char *name;
	unsigned rank;
	unsigned char type; /* as in dirent(3) */
};

struct seen_list {
	struct name_in_layer *items;
	size_t count;
	size_t capacity;
	unsigned rank; /* of the layer being listed */
};

static int add_seen(void *context, const char *name, unsigned char type)
{
	struct seen_list *list = context;

	if (array_grow(list->items, list->count, list->capacity) < 0)
		return -ENOMEM;
	char *copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	list->items[list->count++] = (struct name_in_layer){copy, list->rank, type};
	if (list->count % TURN == 0)
		await_pause_us(0);
	return 0;
}

/* Orders by name, then by layer, highest first. */
static int compare_seen(const void *a, const void *b)
{
	const struct name_in_layer *x = a;
	const struct name_in_layer *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->rank < y->rank) - (x->rank > y->rank);
}

static void free_seen(struct seen_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].name);
	free(list->items);
}

/* Returns the rank of the highest layer whose whiteout hides `name`; -1: there is none. */
static int whiteout_rank(const struct seen_list *list, const char *name)
{
	char mark[NAME_MAX + 1];
	int n = snprintf(mark, sizeof(mark), UNION_MARK_PREFIX "%s", name);
	if (n < 0 || (size_t)n >= sizeof(mark))
		return -1;

	size_t low = 0;
	size_t high = list->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(list->items[middle].name, mark) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == list->count || strcmp(list->items[low].name, mark) != 0)
		return -1;
	return (int)list->items[low].rank;
}

static bool is_covered(
	const struct layer *layer, const char *directory, const struct name_in_layer *seen)
{
	char path[PATH_MAX];
	int n = snprintf(
		path, sizeof(path), "%s%s%s", directory, *directory ? "/" : "", seen->name);

	return layer->covered && n > 0 && (size_t)n < sizeof(path) && layer_is_covered(layer, path);
}

/*
 * Finds the kind of one layer's name, and whether it is a whiteout. Returns 0, or -errno on a
 * shortage.
 */
static int seen_kind(const struct settings *settings, const char *directory,
	const struct name_in_layer *seen, enum union_kind *ret, bool *is_whiteout)
{
	const struct layer *layer = settings->layers[seen->rank];
	char path[PATH_MAX];
	struct stat stat;

	*ret = UNION_NONE;
	*is_whiteout = false;
	if (is_covered(layer, directory, seen))
		return 0;
	switch (seen->type) {
	case DT_REG:
		*ret = UNION_FILE;
		return 0;
	case DT_DIR:
		*ret = UNION_DIRECTORY;
		return 0;
	case DT_LNK:
		if (layer->follow)
			break;
		*ret = UNION_LINK;
		return 0;
	case DT_CHR:
	case DT_UNKNOWN:
		break;
	default:
		return 0;
	}
	int n = snprintf(
		path, sizeof(path), "%s%s%s", directory, *directory ? "/" : "", seen->name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return 0;
	int result = layer_stat(layer, path, &stat);
	if (layer_is_shortage(result))
		return result;
	if (result < 0) {
		*ret = union_is_absent(result) ? UNION_NONE : UNION_FILE;
		return 0;
	}
	*is_whiteout = union_is_whiteout_device(&stat);
	*ret = union_kind_of(stat.st_mode);
	return 0;
}

/*
 * Decides the kind that one name shows. `seen` are its `count` occurrences, highest layer first.
 * Returns 0, or -errno on a shortage.
 */
static int decide(const struct settings *settings, const char *directory,
	const struct seen_list *list, const struct name_in_layer *seen, size_t count,
	enum union_kind *ret)
{
	bool is_whiteout = false;

	*ret = UNION_NONE;
	for (size_t i = 0; i < count && *ret == UNION_NONE && !is_whiteout; i++) {
		int r = seen_kind(settings, directory, &seen[i], ret, &is_whiteout);
		if (r < 0)
			return r;
		/*
		 * A mark matters only to layers below its own: look it up only when one has the
		 * name.
		 */
		if (*ret != UNION_NONE && whiteout_rank(list, seen[i].name) > (int)seen[i].rank) {
			*ret = UNION_NONE;
			return 0;
		}
	}
	return 0;
}

static layer_mask layers_of(
	const struct seen_list *list, const struct name_in_layer *seen, size_t count)
{
	int mark = whiteout_rank(list, seen->name);
	layer_mask layers = mark < 0 ? 0 : (layer_mask)1 << mark;

	for (size_t i = 0; i < count; i++)
		layers |= (layer_mask)1 << seen[i].rank;
	return layers;
}

static int lay_over(const struct settings *settings, const char *directory, struct seen_list *list,
	struct listing *ret)
{
	struct listed *items = calloc(list->count ? list->count : 1, sizeof(*items));
	if (!items)
		return -ENOMEM;

	size_t count = 0, last = 0;
	for (size_t i = 0, end; i < list->count; i = end) {
		if (i / TURN != last / TURN)
			await_pause_us(0);
		last = i;
		for (end = i + 1; end < list->count; end++)
			if (strcmp(list->items[end].name, list->items[i].name) != 0)
				break;
		if (union_is_mark(list->items[i].name))
			continue;
		enum union_kind kind;
		int r = decide(settings, directory, list, &list->items[i], end - i, &kind);
		/* Neither the name's kind is known, nor whether it hides lower layers' names. */
		if (r < 0)
			ret->error = -r;
		if (r < 0 || kind == UNION_NONE)
			continue;
		items[count++] = (struct listed){
			list->items[i].name, kind, layers_of(list, &list->items[i], end - i)};
	}
	/* The result takes over the names only now, as the search for marks needs all of them. */
	for (size_t i = 0, taken = 0; taken < count; i++)
		if (list->items[i].name == items[taken].name) {
			list->items[i].name = NULL;
			taken++;
		}
	ret->items = items;
	ret->count = count;
	return 0;
}

int listing_take(
	const struct settings *settings, layer_mask layers, const char *path, struct listing *ret)
{
	CLEANUP(free_seen) struct seen_list list = {0};
	int error = 0;

	for (unsigned rank = 0; rank < settings->layer_count; rank++) {
		if (!(layers >> rank & 1))
			continue;
		list.rank = rank;
		int r = layer_list(settings->layers[rank], path, add_seen, &list);
		if (r == -ENOMEM)
			return r;
		if (r < 0 && !union_is_absent(r) && !error)
			error = -r;
	}
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items), compare_seen);

	ret->error = error;
	return lay_over(settings, path, &list, ret);
}

void listing_free(struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		free(listing->items[i].name);
	free(listing->items);
	*listing = (struct listing){0};
}
