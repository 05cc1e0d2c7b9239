#include "prefixed_path.h"

#include <limits.h>
#include <string.h>

#include "cleanup.h"
#include "descriptor.h"
#include "layer.h"
#include "message.h"
#include "path.h"
#include "probe.h"

/*
 * Returns the part of `path` behind the layer's path or real path, or behind its name; NULL: it
 * begins with none of them. A name that is not that of the directory does not count for a new file.
 */
static const char *cut_layer(
	const struct layer *layer, const char *path, const char *real, bool is_new)
{
	bool is_named = !is_new || strcmp(path_name(layer->path), layer->name) == 0;
	char place[PATH_MAX] = "";
	const char *const before[][2] = {
		{is_named ? layer->name : "", path}, {layer->path, path}, {place, real}};

	(void)descriptor_path(layer->dirfd, place);

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		size_t length = strlen(before[i][0]);
		const char *whole = before[i][1];

		if (length && whole && strncmp(whole, before[i][0], length) == 0 &&
			whole[length] == '/' && whole[length + 1])
			return whole + length + 1;
	}
	return NULL;
}

/* Finds the real path; also of a file that does not exist, in a directory that does. */
static void find_real(const char *path, char **ret)
{
	size_t length = path_directory_length(path);
	CLEANUP(freep) char *directory = length ? strndup(path, length) : strdup(".");
	CLEANUP(freep) char *real = NULL;

	if (probe_real_path(PROBE_OTHERS_MS, path, ret) < 0 && directory &&
		probe_real_path(PROBE_OTHERS_MS, directory, &real) == 0)
		(void)path_join(real, path_name(path), ret);
}

/* Returns whether a layer has the path. */
static bool is_in_any(const struct settings *settings, const char *path)
{
	struct stat found;
	size_t i = 0;

	while (i < settings->layer_count && layer_stat(settings->layers[i], path, &found) < 0)
		i++;
	return i < settings->layer_count;
}

bool prefixed_path_report(const struct settings *settings, const char *path, bool is_new)
{
	CLEANUP(freep) char *real = NULL;
	int length = (int)path_directory_length(path) - 1;

	find_real(path, &real);
	for (size_t i = 0; i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i];
		const char *inner = layer->dirfd < 0 ? NULL : cut_layer(layer, path, real, is_new);

		if (!inner || (!is_new && !is_in_any(settings, inner)))
			continue;
		if (is_new)
			message_at(path,
				"no layer has a directory '%.*s'; paths are relative to the "
				"layers: '%s', with '-L %s' for this layer; if the file is to be "
				"in a new '%.*s' in a layer, make that directory first",
				length, path, inner, layer->name, length, path);
		else
			message_at(path,
				"no layer has such a file; paths are relative to the layers: '%s'",
				inner);
		return true;
	}
	return false;
}
