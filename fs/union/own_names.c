#include "own_names.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "path.h"

/* The wanted names of one layer. */
struct own_list {
	const struct own_names *names;
	const struct layer *layer;
	char **paths;
	size_t count;
	size_t capacity;
};

static void list_fini(struct own_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->paths[i]);
	free(list->paths);
}

static int add_name(void *context, const char *name, unsigned char type)
{
	struct own_list *list = context;
	CLEANUP(freep) char *path = NULL;

	if (path_join(list->names->directory->path, name, &path) < 0)
		return -ENOMEM;
	if (!list->names->is_wanted(list->layer, path, type))
		return 0;
	if (array_grow(list->paths, list->count, list->capacity) < 0)
		return -ENOMEM;
	list->paths[list->count++] = take_ptr(path);
	return 0;
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
		if (list.count)
			qsort(list.paths, list.count, sizeof(*list.paths), array_compare_texts);
		for (size_t j = 0; r == 0 && j < list.count; j++)
			r = names->each(names->context, list.layer, list.paths[j]);
	}
	return r;
}
