#include "union.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "cleanup.h"

void union_lookup_init(struct union_lookup *lookup)
{
	lookup->kind = UNION_NONE;
	lookup->layers = 0;
	lookup->count = 0;
	lookup->found = lookup->own;
	lookup->left_out_count = 0;
	lookup->has_unknown = false;
	lookup->failure = lookup->whiteout_error = 0;
	lookup->hidden_kind = UNION_NONE;
	lookup->expanded = NULL;
}

void union_lookup_fini(struct union_lookup *lookup)
{
	for (unsigned i = 0; lookup->expanded && i < lookup->count + lookup->left_out_count; i++)
		free((char *)(uintptr_t)lookup->expanded[i].path);
	free(lookup->expanded);
	union_lookup_init(lookup);
}

void union_lookup_reset(struct union_lookup *lookup)
{
	int failure = lookup->failure, whiteout_error = lookup->whiteout_error;

	union_lookup_fini(lookup);
	lookup->failure = failure;
	lookup->whiteout_error = whiteout_error;
}

uint64_t union_lookup_bytes(const struct union_lookup *lookup)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < lookup->count; i++)
		bytes += (uint64_t)lookup->found[i].stat.st_size;
	return bytes;
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
	return strncmp(name, UNION_MARK_PREFIX, strlen(UNION_MARK_PREFIX)) == 0;
}

bool union_has_mark(const char *path)
{
	for (; path; path = strchr(path, '/')) {
		path += *path == '/';
		if (union_is_mark(path))
			return true;
	}
	return false;
}

const char *union_marked_name(const char *name)
{
	if (!union_is_mark(name))
		return NULL;
	return strcmp(name, UNION_OPAQUE_NAME) == 0 ? "" : name + strlen(UNION_MARK_PREFIX);
}

bool union_is_absent(int result)
{
	return result == -ENOENT || result == -ENOTDIR || result == -ENAMETOOLONG;
}

bool union_is_whiteout_device(const struct stat *stat)
{
	return S_ISCHR(stat->st_mode) && stat->st_rdev == makedev(0, 0);
}

enum union_kind union_kind_of(mode_t mode)
{
	if (S_ISREG(mode))
		return UNION_FILE;
	if (S_ISDIR(mode))
		return UNION_DIRECTORY;
	if (S_ISLNK(mode))
		return UNION_LINK;
	return UNION_NONE;
}

/* Returns 1 if the layer has such a file, 0, or -errno if that is unknown. */
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
	return layer_says_nothing(r) ? r : r == 0;
}

/* Returns 1 if `layer` hides all that lies below it at `path`, 0, or -errno as has_file(). */
static int hides_below(
	const struct layer *layer, const char *path, const struct stat *found, bool is_found)
{
	if (is_found && union_is_whiteout_device(found))
		return 1;
	if (is_found && S_ISDIR(found->st_mode)) {
		int r = has_file(layer, path, "", UNION_OPAQUE_NAME);
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
	if (!layer_stay_may_have(layer, directory, UNION_MARK_PREFIX))
		return 0;
	return has_file(layer, directory, UNION_MARK_PREFIX, slash ? slash + 1 : path);
}

static void note_failure(int *failure, int result)
{
	bool is_first = layer_has_failed(result) && !*failure;

	if (is_first || result == -LAYER_LATE || (result == -ETIMEDOUT && *failure != LAYER_LATE))
		*failure = -result;
}

/*
 * Adds one layer's object. Returns false if nothing below it can show. An object that can't be
 * examined has no kind yet: settle_unknown() decides it.
 */
static bool take_layer(
	struct union_lookup *lookup, unsigned rank, int result, const struct stat *stat)
{
	enum union_kind kind = result == 0 ? union_kind_of(stat->st_mode) : UNION_NONE;

	if (union_is_absent(result) || (result == 0 && kind == UNION_NONE))
		return true;
	if (result == 0 && lookup->kind != UNION_NONE && lookup->kind != kind) {
		lookup->hidden_kind = kind;
		lookup->hidden_layer = rank;
		return false;
	}
	if (result == 0)
		lookup->kind = kind;
	note_failure(&lookup->failure, result);
	lookup->layers |= (layer_mask)1 << rank;
	lookup->own[lookup->count++] = (struct contributor){
		.layer = rank,
		.error = -result,
		.stat = result == 0 ? *stat : (struct stat){0},
	};
	return kind != UNION_LINK;
}

/*
 * Decides the kind of objects that could not be examined. They count as unreadable files if other
 * layers have a file, or none has anything. If others have a directory, they count as directories,
 * so that the names in them do not seem removed; nothing else is known of such a directory.
 */
static void settle_unknown(struct union_lookup *lookup, const char *path)
{
	unsigned kept = 0;

	if (lookup->count && lookup->kind == UNION_NONE)
		lookup->kind = *path ? UNION_FILE : UNION_DIRECTORY;
	if (lookup->kind == UNION_FILE)
		return;
	for (unsigned i = 0; i < lookup->count; i++)
		if (!lookup->own[i].error) {
			lookup->own[kept++] = lookup->own[i];
		} else if (lookup->kind == UNION_LINK) {
			/* That layer lies above the link, and may hide it. */
			lookup->layers &= ~((layer_mask)1 << lookup->own[i].layer);
			note_failure(&lookup->whiteout_error, -lookup->own[i].error);
		}
	lookup->has_unknown = kept < lookup->count;
	lookup->count = kept;
}

static int take_layers(const struct settings *settings, layer_mask layers, const char *path,
	struct union_lookup *ret)
{
	for (unsigned rank = (unsigned)settings->layer_count; rank-- > 0;) {
		const struct layer *layer = settings->layers[rank];
		layer_mask below = ((layer_mask)1 << rank) - 1;
		struct stat stat;
		int hides = 0;

		if (!(layers >> rank & 1) || layer_is_covered(layer, path))
			continue;
		int result = layer_stat(layer, path, &stat);
		if (layer_is_shortage(result))
			return result;
		if (!take_layer(ret, rank, result, &stat))
			return 0;
		if (layers & below && !layer_has_failed(result))
			hides = hides_below(layer, path, &stat, result == 0);
		/* Without an answer, the layer may hide what lower ones have. */
		if (hides && !layer_has_failed(hides))
			return hides < 0 ? hides : 0;
		if (hides && union_is_absent(result))
			take_layer(ret, rank, hides, &stat);
		else if (hides)
			note_failure(&ret->whiteout_error, hides);
		note_failure(&ret->failure, hides);
	}
	return 0;
}

int union_look_up(const struct settings *settings, layer_mask layers, const char *path,
	struct union_lookup *ret)
{
	union_lookup_fini(ret);
	int r = take_layers(settings, layers, path, ret);
	if (r < 0)
		union_lookup_fini(ret);
	else
		settle_unknown(ret, path);
	return r;
}

bool union_is_out_of_sight(const struct union_lookup *lookup)
{
	for (unsigned i = 0; i < lookup->count; i++)
		if (!lookup->found[i].error)
			return false;
	return lookup->count;
}

int union_knows_directory(const struct union_lookup *lookup)
{
	return lookup->kind == UNION_DIRECTORY ? -lookup->whiteout_error : -lookup->failure;
}

layer_mask union_timed_out(const struct union_lookup *lookup)
{
	layer_mask layers = 0;

	for (unsigned i = 0; i < lookup->count; i++)
		if (layer_has_timed_out(-lookup->found[i].error))
			layers |= (layer_mask)1 << lookup->found[i].layer;
	return layers;
}

void union_drop(struct union_lookup *lookup, unsigned index)
{
	lookup->count--;
	lookup->layers &= ~((layer_mask)1 << lookup->found[index].layer);
	memmove(lookup->found + index, lookup->found + index + 1,
		(lookup->count - index) * sizeof(*lookup->found));
	if (!lookup->count)
		lookup->kind = UNION_NONE;
}

bool union_has_unseen(const struct union_lookup *lookup)
{
	for (unsigned i = 0; i < lookup->count + lookup->left_out_count; i++)
		if (lookup->found[i].error)
			return true;
	return lookup->has_unknown;
}

bool union_has_failed(const struct union_lookup *lookup)
{
	bool has_failed = lookup->failure;

	for (unsigned i = 0; i < lookup->count + lookup->left_out_count; i++)
		has_failed |= layer_has_failed(-lookup->found[i].error);
	return has_failed;
}

void union_keep_directory(struct union_lookup *lookup)
{
	if (!union_is_out_of_sight(lookup))
		return;
	lookup->kind = UNION_DIRECTORY;
	lookup->has_unknown = true;
	lookup->count = 0;
}

layer_mask union_all_layers(const struct settings *settings)
{
	layer_mask all = 0;

	for (unsigned i = 0; i < settings->layer_count; i++)
		if (settings->layers[i]->dirfd >= 0)
			all |= (layer_mask)1 << i;
	return all;
}
