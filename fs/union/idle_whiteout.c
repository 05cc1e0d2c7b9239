#include "idle_whiteout.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "own_names.h"
#include "path.h"

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
static int report(void *context, const struct layer *layer, const char *path)
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

	return own_names_each(&(struct own_names){settings, found, is_mark, report, &marks});
}
