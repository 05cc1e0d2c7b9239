#include "target_layer.h"

#include <errno.h>
#include <string.h>

#include "absent_layer.h"
#include "cleanup.h"
#include "store.h"
#include "text.h"

static int complain_of_name(
	const struct settings *settings, const char *name, struct problem *problem)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const char *names = arena_new(&arena) < 0 ? NULL : "";

	for (size_t i = 0; names && i < settings->layer_count; i++)
		names = arena_printf(
			arena, "%s%s%s", names, i ? ", " : "", settings->layers[i]->name);
	return names ? problem_set(problem, NULL, 0, 0,
			       "there is no layer '%s'; the layers are: %s", name, names)
		     : -ENOMEM;
}

int target_layer_find(const struct settings *settings, const char *name, struct layer **ret,
	struct problem *problem)
{
	struct layer *found = *ret = settings_layer(settings, name);

	if (!name)
		return absent_layer_refuse(settings, problem);
	if (!found)
		return complain_of_name(settings, name, problem);
	if (found->dirfd >= 0 || !settings->specs[found->rank].store)
		return 0;
	return problem_set(problem, NULL, 0, 0,
		"the layer '%s' has no state on this machine yet; plyfs mount and plyfs render get "
		"it from the store",
		name);
}

int target_layer_open_store(const struct layer *layer, const struct store_access *access,
	struct layer_store **store, struct problem *problem)
{
	return *store || layer->dirfd < 0 ? 0 : layer_store_open(layer, access, store, problem);
}

int target_layer_lock(const struct layer *layer, int *ret, struct problem *problem)
{
	if (layer->dirfd < 0)
		return 0;
	*ret = layer_file_lock(layer);
	if (*ret >= 0)
		return 0;
	return problem_set(
		problem, layer->path, 0, 0, "can't be locked for a change: %s", text_error(*ret));
}

bool target_layer_is_current(const struct settings *settings)
{
	for (size_t i = 0; i < settings->layer_count; i++)
		if (settings->layers[i]->dirfd >= 0 && !layer_is_current(settings->layers[i]))
			return false;
	return true;
}

static int make(const struct settings *settings, const struct layer *layer, struct layer **ret,
	struct problem *problem)
{
	int r = layer_file_make_layer(layer, settings_layer(settings, NULL), ret);

	if (r == 0 || r == -ENOMEM)
		return r;
	if (r == -EEXIST)
		return -ESTALE;
	return problem_set(problem, layer->path, 0, 0, "the layer's directory can't be made: %s",
		text_error(r));
}

int target_layer_write(const struct settings *settings, struct layer_file file, const char *name,
	struct problem *problem)
{
	CLEANUP(layer_freep) struct layer *made = NULL;
	int r = file.layer->dirfd < 0 ? make(settings, file.layer, &made, problem) : 0;

	if (made)
		file.layer = made;
	if (r == 0)
		r = layer_file_write(&file, problem);
	if (r == LAYER_FILE_MOVED && made)
		return -ESTALE;
	if (r < 0 && r != -ENOMEM && r != -ESTALE)
		return problem_set(problem, name, 0, 0, "can't be written: %s", text_error(r));
	return r;
}
