#include "own_names.h"

#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "path.h"
#include "path_list.h"

/* The wanted names of one layer. */
struct own_list {
	const struct own_names *names;
	const struct layer *layer;
	struct path_list paths;
};

static void list_fini(struct own_list *list)
{
	path_list_fini(&list->paths);
}

static int add_name(void *context, const char *name, unsigned char type)
{
	struct own_list *list = context;
	CLEANUP(freep) char *path = NULL;

	if (path_join(list->names->directory->path, name, &path) < 0)
		return -ENOMEM;
	return list->names->is_wanted(list->layer, path, type)
		       ? path_list_add(&list->paths, path, strlen(path))
		       : 0;
}

int own_names_each(const struct own_names *names)
{
	const struct traversed *directory = names->directory;
	int r = 0;

	for (size_t i = 0; r == 0 && i < names->settings->layer_count; i++) {
		CLEANUP(list_fini)
		struct own_list list = {.names = names, .layer = names->settings->layers[i]};
		if (!(directory->own >> i & 1))
			continue;
		int listed = layer_list(list.layer, directory->path, add_name, &list);
		/* Other errors of a listing are reported elsewhere. */
		if (layer_is_shortage(listed))
			return listed;
		path_list_sort(&list.paths);
		for (size_t j = 0; r == 0 && j < list.paths.count; j++)
			r = names->each(names->context, list.layer, list.paths.paths[j]);
	}
	return r;
}
