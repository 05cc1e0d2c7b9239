#include "hidden.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "layer.h"
#include "traverse.h"
#include "union.h"

/* Returns 1 if the layer has `path` (with *ret), 0, or -errno on a shortage. */
static int has(const struct layer *layer, const char *path, struct stat *ret)
{
	int r = layer_stat(layer, path, ret);

	return layer_is_shortage(r) ? r : r == 0;
}

/* Joins the first `length` bytes of `path` and `more`. False: the result is too long. */
static bool join(char ret[PATH_MAX], const char *path, size_t length, const char *more)
{
	int n = snprintf(ret, PATH_MAX, "%.*s%s", (int)length, path, more);

	return n >= 0 && n < PATH_MAX;
}

/* Makes "a/.wh.b" of "a/b". False: the result is too long. */
static bool whiteout_of(char ret[PATH_MAX], const char *path, size_t length)
{
	size_t start = length;

	while (start > 0 && path[start - 1] != '/')
		start--;
	int n = snprintf(ret, PATH_MAX, "%.*s" UNION_MARK_PREFIX "%.*s", (int)start, path,
		(int)(length - start), path + start);
	return n >= 0 && n < PATH_MAX;
}

/*
 * Examines the layer's object at the first `length` bytes of `path`: does it hide what lower layers
 * have at `path`, a file or directory? Returns 1 with `mark`, 0, or -errno on a shortage.
 */
static int hides_at(const struct layer *layer, const char *path, size_t length, mode_t mode,
	char mark[PATH_MAX])
{
	bool is_end = !path[length];
	struct stat found;
	int r = whiteout_of(mark, path, length) ? has(layer, mark, &found) : 0;

	if (r != 0 || !join(mark, path, length, ""))
		return r;
	r = has(layer, mark, &found);
	if (r <= 0)
		return r;
	if (union_is_whiteout_device(&found))
		return 1;
	if (union_kind_of(found.st_mode) == UNION_NONE)
		return 0;
	/* A directory does not hide the lower layers' names in it, unless it is opaque. */
	if (is_end)
		return union_kind_of(found.st_mode) != union_kind_of(mode);
	if (!S_ISDIR(found.st_mode))
		return 1;
	return join(mark, path, length, "/" UNION_OPAQUE_NAME) ? has(layer, mark, &found) : 0;
}

/*
 * Does hides_at() for each directory above `path` and for `path` itself, after the root's opaque
 * mark.
 */
static int hides(const struct layer *layer, const char *path, mode_t mode, char mark[PATH_MAX])
{
	struct stat found;
	int r = join(mark, "", 0, UNION_OPAQUE_NAME) ? has(layer, mark, &found) : 0;

	for (size_t length = 0; r == 0 && path[length];) {
		length += strcspn(path + length + 1, "/") + 1;
		r = hides_at(layer, path, length, mode, mark);
	}
	return r;
}

int hidden_by(const struct settings *settings, unsigned layer, const char *path, mode_t mode,
	struct hidden *ret)
{
	for (unsigned by = layer + 1; by < settings->layer_count; by++) {
		if (settings->layers[by]->dirfd < 0)
			continue;
		int r = hides(settings->layers[by], path, mode, ret->mark);
		ret->layer = layer;
		ret->by = by;
		if (r != 0)
			return r;
	}
	return 0;
}

int hidden_find(
	const struct settings *settings, unsigned below, const char *path, struct hidden *ret)
{
	for (unsigned rank = below; rank-- > 0;) {
		const struct layer *layer = settings->layers[rank];
		struct stat found;
		int r = layer->dirfd < 0 ? 0 : has(layer, path, &found);

		if (r < 0)
			return r;
		if (r == 0 || union_kind_of(found.st_mode) == UNION_NONE)
			continue;
		r = hidden_by(settings, rank, path, found.st_mode, ret);
		if (r != 0)
			return r;
	}
	return 0;
}

int hidden_mark_name(const struct settings *settings, const struct hidden *hidden, char **ret)
{
	return layer_source_name(settings->layers[hidden->by], hidden->mark, ret);
}

/* A visit of the files that the layers up to a locking one show. */
struct lock_visit {
	unsigned rank; /* of the locking layer */
	const struct settings *settings;
	int (*each)(void *context, const char *path, const struct value_lock *lock);
	void *context;
};

static const struct value_lock *find_lock(const struct rule *rule, unsigned rank)
{
	const struct value_locks *locks = rule->options.locks;

	for (size_t i = 0; locks && i < locks->count; i++)
		if (locks->items[i].rank == rank)
			return &locks->items[i];
	return NULL;
}

static int visit(void *context, const struct traversed *found)
{
	const struct lock_visit *visit = context;
	const struct value_lock *lock =
		find_lock(settings_rule(visit->settings, found->path), visit->rank);

	return lock && found->kind == UNION_FILE ? visit->each(visit->context, found->path, lock)
						 : 0;
}

int hidden_locks_each(const struct settings *settings, const char *path, size_t below,
	int (*each)(void *context, const char *path, const struct value_lock *lock), void *context)
{
	int r = 0;

	for (unsigned rank = 0; r == 0 && rank < below; rank++) {
		struct settings lower = *settings;
		struct lock_visit visiting = {rank, settings, each, context};
		const struct traversal traversal = {&lower, NULL, -1, visit, &visiting};
		bool is_locking = false;

		for (size_t i = 0; i < settings->rule_count; i++)
			is_locking |= find_lock(&settings->rules[i], rank) != NULL;
		lower.layer_count = rank + 1;
		lower.file_count = 0;
		r = is_locking ? traverse(&traversal, path) : 0;
		if (r == -ENOENT || r == -ENOTDIR)
			r = 0;
	}
	return r;
}
