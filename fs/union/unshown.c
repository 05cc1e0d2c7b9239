#include "unshown.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "path.h"
#include "path_list.h"

/* A search for names that each layer has in a directory of the merged tree. */
struct own_names {
	const struct settings *settings;
	const struct traversed *directory;
	/* Returns whether `each` must be called for the path; `type` is its d_type (readdir(3)). */
	bool (*is_wanted)(const struct layer *layer, const char *path, unsigned char type);
	int (*each)(void *context, const struct layer *layer, const char *path);
	void *context;
};

/* The wanted names of one layer. */
struct own_list {
	const struct own_names *names;
	const struct layer *layer;
	struct path_list *paths;
};

static int add_name(void *context, const char *name, unsigned char type)
{
	struct own_list *list = context;
	CLEANUP(freep) char *path = NULL;

	if (path_join(list->names->directory->path, name, &path) < 0)
		return -ENOMEM;
	return list->names->is_wanted(list->layer, path, type)
		       ? path_list_add(list->paths, path, strlen(path))
		       : 0;
}

/*
 * Lists the directory in each layer of directory->own. Calls `each` for the wanted names, lowest
 * layer first, names in byte order. Stops at the first non-zero result of `each`, and returns it.
 * Otherwise returns 0; or -errno if memory or descriptors are short. Passes over a layer that can't
 * be listed.
 */
static int own_names_each(const struct own_names *names)
{
	const struct traversed *directory = names->directory;
	int r = 0;

	for (size_t i = 0; r == 0 && i < names->settings->layer_count; i++) {
		CLEANUP(path_list_fini) struct path_list paths = {0};
		struct own_list list = {names, names->settings->layers[i], &paths};
		if (!(directory->own >> i & 1))
			continue;
		int listed = layer_list(list.layer, directory->path, add_name, &list);
		/* Other errors of a listing are reported elsewhere. */
		if (layer_is_shortage(listed))
			return listed;
		path_list_sort(&paths);
		for (size_t j = 0; r == 0 && j < paths.count; j++)
			r = names->each(names->context, list.layer, paths.paths[j]);
	}
	return r;
}

/* The caller's function. */
struct unshown_report {
	int (*each)(void *context, const struct layer *layer, const char *path, const char *what);
	void *context;
};

/* Returns the object's kind; NULL: it shows, or is a whiteout. */
static const char *what_is(const struct stat *stat)
{
	if (S_ISCHR(stat->st_mode))
		return union_is_whiteout_device(stat) ? NULL : "character device";
	return S_ISFIFO(stat->st_mode)   ? "FIFO"
	       : S_ISSOCK(stat->st_mode) ? "socket"
	       : S_ISBLK(stat->st_mode)  ? "block device"
					 : NULL;
}

static bool is_too_long(const char *path)
{
	return strlen(path) >= PATH_MAX;
}

static bool may_be_unshown(const struct layer *layer, const char *path, unsigned char type)
{
	bool is_link = type == DT_LNK && !layer->follow;

	if (strcmp(path, PLYFS_NAME) == 0)
		return true;
	if (union_is_mark(path_name(path)))
		return false;
	return is_too_long(path) || (type != DT_REG && type != DT_DIR && !is_link);
}

static int report(void *context, const struct layer *layer, const char *path)
{
	const struct unshown_report *to = context;
	const char *what = NULL;
	struct stat stat;

	/* A rendered tree that is a layer has one of its own. */
	if (strcmp(path, PLYFS_NAME) == 0)
		what = layer_stat(layer, PLYFS_NAME "/manifest", &stat) != 0 ? PLYFS_NAME : NULL;
	/* An object that can't be examined is reported when it is merged. */
	else if (!is_too_long(path) && layer_stat(layer, path, &stat) == 0)
		what = what_is(&stat);
	return what || is_too_long(path) ? to->each(to->context, layer, path, what) : 0;
}

int unshown_each(const struct settings *settings, const struct traversed *found,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *what),
	void *context)
{
	return own_names_each(&(struct own_names){
		settings, found, may_be_unshown, report, &(struct unshown_report){each, context}});
}

/* A search in one directory, and the caller's function. */
struct idle_marks {
	const struct settings *settings;
	const struct traversed *directory;
	int (*each)(void *context, const struct layer *layer, const char *path, const char *hides);
	void *context;
};

static bool is_mark(const struct layer *layer, const char *path, unsigned char type)
{
	struct stat stat;

	if (union_is_mark(path_name(path)))
		return true;
	return (type == DT_CHR || type == DT_UNKNOWN) && layer_stat(layer, path, &stat) == 0 &&
	       union_is_whiteout_device(&stat);
}

/* Returns 1 if the layers below the mark's have `path`, 0, or -errno on a shortage. */
static int is_below(const struct idle_marks *marks, const struct layer *layer, layer_mask layers,
	const char *path)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	layer_mask below = layers & (((layer_mask)1 << layer->rank) - 1);

	if (!lookup)
		return -ENOMEM;
	int r = union_look_up(marks->settings, below, path, lookup);
	return r < 0 ? r : lookup->kind != UNION_NONE;
}

/* Reports the mark at `path` if it hides nothing. */
static int report_idle(void *context, const struct layer *layer, const char *path)
{
	const struct idle_marks *marks = context;
	const struct traversed *directory = marks->directory;
	const char *name = path_name(path), *whited = union_marked_name(name);
	bool is_opaque = whited && !*whited;
	CLEANUP(freep) char *hides = NULL;
	int r = path_join(directory->path, whited ? whited : name, &hides);

	if (r == 0)
		r = is_below(marks, layer, is_opaque ? directory->layers : directory->own,
			is_opaque ? directory->path : hides);
	if (r != 0)
		return r < 0 ? r : 0;
	return marks->each(marks->context, layer, path, is_opaque ? "" : hides);
}

int whiteouts_idle(const struct settings *settings, const struct traversed *found,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *hides),
	void *context)
{
	struct idle_marks marks = {settings, found, each, context};

	return own_names_each(&(struct own_names){settings, found, is_mark, report_idle, &marks});
}
