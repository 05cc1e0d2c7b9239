#include "unshown.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "array.h"
#include "cleanup.h"
#include "path.h"

struct unshown {
	char *path;
	const char *what; /* static; NULL: the path is too long */
};

/* The unshown names of one layer's directory. */
struct unshown_list {
	const struct layer *layer;
	const char *directory;
	struct unshown *items;
	size_t count;
	size_t capacity;
};

static void list_fini(struct unshown_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].path);
	free(list->items);
}

/* Returns the object's kind; NULL: it shows, or is a whiteout. */
static const char *what_is(const struct stat *stat)
{
	if (S_ISCHR(stat->st_mode))
		return stat->st_rdev == makedev(0, 0) ? NULL : "character device";
	return S_ISFIFO(stat->st_mode)   ? "FIFO"
	       : S_ISSOCK(stat->st_mode) ? "socket"
	       : S_ISBLK(stat->st_mode)  ? "block device"
					 : NULL;
}

static int add_unshown(void *context, const char *name, unsigned char type)
{
	struct unshown_list *list = context;
	CLEANUP(freep) char *path = NULL;
	const char *what = NULL;
	struct stat stat;

	if (union_is_mark(name))
		return 0;
	if (path_join(list->directory, name, &path) < 0)
		return -ENOMEM;
	bool is_too_long = strlen(path) >= PATH_MAX;
	bool is_link = type == DT_LNK && !list->layer->follow;
	if (!is_too_long && (type == DT_REG || type == DT_DIR || is_link))
		return 0;
	/* An object that can't be examined is reported when it is merged. */
	if (!is_too_long && layer_stat(list->layer, path, &stat) == 0)
		what = what_is(&stat);
	if (!is_too_long && !what)
		return 0;
	if (array_grow(list->items, list->count, list->capacity) < 0)
		return -ENOMEM;
	list->items[list->count++] = (struct unshown){take_ptr(path), what};
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct unshown *)a)->path, ((const struct unshown *)b)->path);
}

int unshown_each(const struct settings *settings, const struct traversed *found,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *what),
	void *context)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < settings->layer_count; i++) {
		CLEANUP(list_fini)
		struct unshown_list list = {.layer = settings->layers[i], .directory = found->path};
		if (!(found->own >> i & 1))
			continue;
		int listed = layer_list(settings->layers[i], found->path, add_unshown, &list);
		if (layer_is_shortage(listed))
			return listed;
		if (list.count)
			qsort(list.items, list.count, sizeof(*list.items), compare_paths);
		for (size_t j = 0; r == 0 && j < list.count; j++)
			r = each(context, settings->layers[i], list.items[j].path,
				list.items[j].what);
	}
	return r;
}
