#include "union.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "cleanup.h"

#define WHITEOUT_PREFIX ".wh."
#define OPAQUE_NAME ".wh..wh..opq"

void union_lookup_init(struct union_lookup *lookup)
{
	lookup->kind = UNION_NONE;
	lookup->layers = 0;
	lookup->count = 0;
	lookup->found = lookup->own;
	lookup->has_unknown = false;
	lookup->expanded = NULL;
}

void union_lookup_fini(struct union_lookup *lookup)
{
	for (unsigned i = 0; lookup->expanded && i < lookup->count; i++)
		free((char *)(uintptr_t)lookup->expanded[i].path);
	free(lookup->expanded);
	union_lookup_init(lookup);
}

struct union_lookup *union_lookup_new(void)
{
	struct union_lookup *lookup = malloc(sizeof(*lookup));

	if (lookup)
		union_lookup_init(lookup);
	return lookup;
}

void union_lookup_freep(struct union_lookup **lookup)
{
	if (*lookup)
		union_lookup_fini(*lookup);
	free(*lookup);
}

bool union_is_mark(const char *name)
{
	return strncmp(name, WHITEOUT_PREFIX, strlen(WHITEOUT_PREFIX)) == 0;
}

const char *union_marked_name(const char *name)
{
	if (!union_is_mark(name))
		return NULL;
	return strcmp(name, OPAQUE_NAME) == 0 ? "" : name + strlen(WHITEOUT_PREFIX);
}

bool union_is_shortage(int result)
{
	return result == -ENOMEM || result == -EMFILE || result == -ENFILE;
}

static bool is_absent(int result)
{
	return result == -ENOENT || result == -ENOTDIR || result == -ENAMETOOLONG;
}

static bool is_overlay_whiteout(const struct stat *stat)
{
	return S_ISCHR(stat->st_mode) && stat->st_rdev == makedev(0, 0);
}

static enum union_kind kind_of(mode_t mode)
{
	if (S_ISREG(mode))
		return UNION_FILE;
	if (S_ISDIR(mode))
		return UNION_DIRECTORY;
	if (S_ISLNK(mode))
		return UNION_LINK;
	return UNION_NONE;
}

/* 1: there is such a file; 0; or a shortage as -errno. */
static int has_file(
	const struct layer *layer, const char *directory, const char *prefix, const char *name)
{
	char path[PATH_MAX];
	struct stat stat;
	int n = snprintf(
		path, sizeof(path), "%s%s%s%s", directory, *directory ? "/" : "", prefix, name);

	if (n < 0 || (size_t)n >= sizeof(path))
		return 0;
	int r = layer_stat(layer, path, &stat);
	return union_is_shortage(r) ? r : r == 0;
}

/* Whether `layer` hides whatever lies below it at `path`: results as has_file(). */
static int hides_below(
	const struct layer *layer, const char *path, const struct stat *found, bool is_found)
{
	if (is_found && is_overlay_whiteout(found))
		return 1;
	if (is_found && S_ISDIR(found->st_mode)) {
		int r = has_file(layer, path, "", OPAQUE_NAME);
		if (r != 0)
			return r;
	}
	if (!*path)
		return 0;

	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX];
	size_t length = slash ? (size_t)(slash - path) : 0;
	if (length >= sizeof(directory))
		return 0;
	memcpy(directory, path, length);
	directory[length] = '\0';
	return has_file(layer, directory, WHITEOUT_PREFIX, slash ? slash + 1 : path);
}

/*
 * Takes one layer's object in. Returns false when nothing below it can show. What can't be looked
 * at is of no kind yet: settle_unknown() decides.
 */
static bool take_layer(
	struct union_lookup *lookup, unsigned rank, int result, const struct stat *stat)
{
	enum union_kind kind = result == 0 ? kind_of(stat->st_mode) : UNION_NONE;

	if (is_absent(result) || (result == 0 && kind == UNION_NONE))
		return true;
	if (result == 0 && lookup->kind != UNION_NONE && lookup->kind != kind)
		return false;
	if (result == 0)
		lookup->kind = kind;
	lookup->layers |= (layer_mask)1 << rank;
	lookup->own[lookup->count++] = (struct contributor){
		.layer = rank,
		.error = -result,
		.stat = result == 0 ? *stat : (struct stat){0},
	};
	return kind != UNION_LINK;
}

/*
 * A layer that can't be looked at has a file that can't be read where the others have one, or where
 * none has anything; and a directory where they have one, so that what is in it is not taken for
 * gone. Nothing is known of its directory but that.
 */
static void settle_unknown(struct union_lookup *lookup, const char *path)
{
	unsigned kept = 0;

	if (lookup->count && lookup->kind == UNION_NONE)
		lookup->kind = *path ? UNION_FILE : UNION_DIRECTORY;
	if (lookup->kind == UNION_FILE)
		return;
	for (unsigned i = 0; i < lookup->count; i++)
		if (!lookup->own[i].error)
			lookup->own[kept++] = lookup->own[i];
		else if (lookup->kind == UNION_LINK)
			lookup->layers &= ~((layer_mask)1 << lookup->own[i].layer);
	lookup->has_unknown = kept < lookup->count;
	lookup->count = kept;
}

static int take_layers(
	const struct settings *settings, layer_mask layers, const char *path, struct union_lookup *ret)
{
	for (unsigned rank = (unsigned)settings->layer_count; rank-- > 0;) {
		const struct layer *layer = settings->layers[rank];
		layer_mask below = ((layer_mask)1 << rank) - 1;
		struct stat stat;
		int hides = 0;

		if (!(layers >> rank & 1) || layer_is_covered(layer, path))
			continue;
		int result = layer_stat(layer, path, &stat);
		if (union_is_shortage(result))
			return result;
		if (!take_layer(ret, rank, result, &stat))
			return 0;
		if (layers & below)
			hides = hides_below(layer, path, &stat, result == 0);
		if (hides)
			return hides < 0 ? hides : 0;
	}
	return 0;
}

int union_look_up(
	const struct settings *settings, layer_mask layers, const char *path, struct union_lookup *ret)
{
	union_lookup_fini(ret);
	int r = take_layers(settings, layers, path, ret);
	if (r < 0)
		union_lookup_fini(ret);
	else
		settle_unknown(ret, path);
	return r;
}

layer_mask union_all_layers(const struct settings *settings)
{
	layer_mask all = 0;

	for (unsigned i = 0; i < settings->layer_count; i++)
		if (settings->layers[i]->dirfd >= 0)
			all |= (layer_mask)1 << i;
	return all;
}

/* A name seen in a layer, before the layers are laid over each other. */
struct seen {
	char *name;
	unsigned rank;
	unsigned char type; /* of dirent(3) */
};

struct seen_list {
	struct seen *items;
	size_t count;
	size_t capacity;
	unsigned rank; /* being listed */
};

static int add_seen(void *context, const char *name, unsigned char type)
{
	struct seen_list *list = context;

	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? list->capacity * 2 : 64;
		struct seen *items = reallocarray(list->items, capacity, sizeof(*items));
		if (!items)
			return -ENOMEM;
		list->items = items;
		list->capacity = capacity;
	}
	char *copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	list->items[list->count++] = (struct seen){copy, list->rank, type};
	return 0;
}

/* By name, then highest layer first. */
static int compare_seen(const void *a, const void *b)
{
	const struct seen *x = a;
	const struct seen *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->rank < y->rank) - (x->rank > y->rank);
}

static void free_seen(struct seen_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].name);
	free(list->items);
}

/* The highest layer's mark that hides `name`; -1 when there is none. */
static int whiteout_rank(const struct seen_list *list, const char *name)
{
	char mark[NAME_MAX + 1];
	int n = snprintf(mark, sizeof(mark), WHITEOUT_PREFIX "%s", name);
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

static bool is_covered(const struct layer *layer, const char *directory, const struct seen *seen)
{
	char path[PATH_MAX];
	int n = snprintf(
		path, sizeof(path), "%s%s%s", directory, *directory ? "/" : "", seen->name);

	return layer->covered && n > 0 && (size_t)n < sizeof(path) && layer_is_covered(layer, path);
}

static enum union_kind seen_kind(
	const struct settings *settings, const char *directory, const struct seen *seen)
{
	const struct layer *layer = settings->layers[seen->rank];
	char path[PATH_MAX];
	struct stat stat;

	if (is_covered(layer, directory, seen))
		return UNION_NONE;
	switch (seen->type) {
	case DT_REG:
		return UNION_FILE;
	case DT_DIR:
		return UNION_DIRECTORY;
	case DT_LNK:
		if (!layer->follow)
			return UNION_LINK;
		break;
	case DT_CHR:
	case DT_UNKNOWN:
		break;
	default:
		return UNION_NONE;
	}
	int n = snprintf(
		path, sizeof(path), "%s%s%s", directory, *directory ? "/" : "", seen->name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return UNION_NONE;
	int result = layer_stat(layer, path, &stat);
	if (result < 0)
		return is_absent(result) ? UNION_NONE : UNION_FILE;
	return kind_of(stat.st_mode);
}

static bool is_whiteout_device(
	const struct settings *settings, const char *directory, const struct seen *seen)
{
	char path[PATH_MAX];
	struct stat stat;
	int n = snprintf(
		path, sizeof(path), "%s%s%s", directory, *directory ? "/" : "", seen->name);

	return seen->type == DT_CHR && n > 0 && (size_t)n < sizeof(path) &&
	       layer_stat(settings->layers[seen->rank], path, &stat) == 0 &&
	       is_overlay_whiteout(&stat);
}

/* The kind that one name shows. `seen` are its `count` occurrences, highest layer first. */
static enum union_kind decide(const struct settings *settings, const char *directory,
	const struct seen_list *list, const struct seen *seen, size_t count)
{
	int hidden_below = -1;
	bool is_looked_up = false;

	for (size_t i = 0; i < count; i++) {
		enum union_kind kind = seen_kind(settings, directory, &seen[i]);
		if (kind != UNION_NONE) {
			/* A mark only matters to what lies below it: looked up only when needed. */
			if (!is_looked_up)
				hidden_below = whiteout_rank(list, seen[i].name);
			return hidden_below > (int)seen[i].rank ? UNION_NONE : kind;
		}
		if (is_whiteout_device(settings, directory, &seen[i]))
			return UNION_NONE;
	}
	return UNION_NONE;
}

static int lay_over(const struct settings *settings, const char *directory, struct seen_list *list,
	struct listing *ret)
{
	struct listed *items = calloc(list->count ? list->count : 1, sizeof(*items));
	if (!items)
		return -ENOMEM;

	size_t count = 0;
	for (size_t i = 0, end; i < list->count; i = end) {
		for (end = i + 1; end < list->count; end++)
			if (strcmp(list->items[end].name, list->items[i].name) != 0)
				break;
		if (union_is_mark(list->items[i].name))
			continue;
		enum union_kind kind =
			decide(settings, directory, list, &list->items[i], end - i);
		if (kind == UNION_NONE)
			continue;
		items[count++] = (struct listed){list->items[i].name, kind};
	}
	/* Only now do the names change hands: the search for marks needs them all. */
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
		if (r < 0 && !is_absent(r) && !error)
			error = -r;
	}
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items), compare_seen);

	int r = lay_over(settings, path, &list, ret);
	if (r == 0)
		ret->error = error;
	return r;
}

void listing_free(struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		free(listing->items[i].name);
	free(listing->items);
	*listing = (struct listing){0};
}
