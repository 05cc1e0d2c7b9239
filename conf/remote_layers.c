#include "remote_layers.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "descriptor.h"
#include "memory.h"
#include "mount_table.h"

struct layer_places {
	const struct settings *settings;
	char (*paths)[PATH_MAX];
};

static bool note_remote(void *context, const struct table_mount *mount)
{
	const struct layer_places *places = context;

	for (size_t i = 0; mount_table_is_remote(mount) && i < places->settings->layer_count; i++) {
		const struct layer *layer = places->settings->layers[i];
		const char *path = places->paths[i];
		size_t length = strcmp(path, "/") == 0 ? 0 : strlen(path);
		bool is_beneath = *path && strncmp(mount->path, path, length) == 0 &&
				  mount->path[length] == '/';
		if (is_beneath || (layer->dirfd >= 0 && layer->dev == mount->dev))
			layer_note_remote(layer);
	}
	return false;
}

int settings_note_remote(const struct settings *settings)
{
	CLEANUP(freep) char(*paths)[PATH_MAX] = calloc(settings->layer_count + 1, sizeof(*paths));

	if (!paths)
		return -ENOMEM;
	for (size_t i = 0; i < settings->layer_count; i++)
		if (settings->layers[i]->dirfd < 0 ||
			descriptor_path(settings->layers[i]->dirfd, paths[i]) < 0)
			*paths[i] = '\0';
	return mount_table_each(-1, note_remote, &(struct layer_places){settings, paths});
}

bool settings_may_wait(const struct settings *settings)
{
	for (size_t i = 0; i < settings->layer_count; i++)
		if (layer_is_delegated(settings->layers[i]) || settings->layers[i]->follow)
			return true;
	return false;
}
