#include "idle_whiteout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "array.h"
#include "cleanup.h"
#include "path.h"

/* The whiteouts in one layer's directory. */
struct marks {
	const struct settings *settings;
	const struct layer *layer;
	const struct traversed *directory;
	char **names;
	size_t count;
	size_t capacity;
};

static void marks_fini(struct marks *marks)
{
	for (size_t i = 0; i < marks->count; i++)
		free(marks->names[i]);
	free(marks->names);
}

/* Returns 1 if the name is overlayfs' kind of whiteout, 0, or -ENOMEM. */
static int is_device(const struct marks *marks, const char *name, unsigned char type)
{
	CLEANUP(freep) char *path = NULL;
	struct stat stat;

	if (type != DT_CHR && type != DT_UNKNOWN)
		return 0;
	int r = path_join(marks->directory->path, name, &path);
	if (r < 0)
		return r;
	return layer_stat(marks->layer, path, &stat) == 0 && S_ISCHR(stat.st_mode) &&
	       stat.st_rdev == makedev(0, 0);
}

static int add_mark(void *context, const char *name, unsigned char type)
{
	struct marks *marks = context;
	int is_mark = union_is_mark(name) ? 1 : is_device(marks, name, type);

	if (is_mark <= 0)
		return is_mark;
	if (array_grow(marks->names, marks->count, marks->capacity) < 0)
		return -ENOMEM;
	char *copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	marks->names[marks->count++] = copy;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns 1 if the layers below the mark's have `path`, 0, or -errno on a shortage. */
static int is_below(const struct marks *marks, layer_mask layers, const char *path)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	layer_mask below = layers & (((layer_mask)1 << marks->layer->rank) - 1);

	if (!lookup)
		return -ENOMEM;
	int r = union_look_up(marks->settings, below, path, lookup);
	return r < 0 ? r : lookup->kind != UNION_NONE;
}

/*
 * Returns 1 if the mark hides nothing, 0, or -errno. Sets *ret_hides to the path that it would
 * hide, or to "" if it makes the directory opaque.
 */
static int is_idle(const struct marks *marks, const char *name, char **ret_hides)
{
	const char *whited = union_marked_name(name);
	int r;

	if (whited && !*whited) {
		*ret_hides = strdup("");
		r = *ret_hides ? is_below(marks, marks->directory->layers, marks->directory->path)
			       : -ENOMEM;
	} else {
		r = path_join(marks->directory->path, whited ? whited : name, ret_hides);
		if (r == 0)
			r = is_below(marks, marks->directory->own, *ret_hides);
	}
	return r < 0 ? r : !r;
}

static int report_idle(const struct marks *marks,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *hides),
	void *context)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < marks->count; i++) {
		CLEANUP(freep) char *path = NULL, *hides = NULL;
		int idle = is_idle(marks, marks->names[i], &hides);
		r = idle < 0 ? idle : path_join(marks->directory->path, marks->names[i], &path);
		if (r == 0 && idle)
			r = each(context, marks->layer, path, hides);
	}
	return r;
}

int whiteouts_idle(const struct settings *settings, const struct traversed *found,
	int (*each)(void *context, const struct layer *layer, const char *path, const char *hides),
	void *context)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < settings->layer_count; i++) {
		CLEANUP(marks_fini)
		struct marks marks = {
			.settings = settings, .layer = settings->layers[i], .directory = found};
		if (!(found->own >> i & 1))
			continue;
		int listed = layer_list(settings->layers[i], found->path, add_mark, &marks);
		/* Other errors of a listing are reported elsewhere. */
		if (layer_is_shortage(listed))
			return listed;
		if (marks.count)
			qsort(marks.names, marks.count, sizeof(char *), compare_names);
		r = report_idle(&marks, each, context);
	}
	return r;
}
