#include "sources.h"

#include <errno.h>
#include <stdlib.h>

int sources_init(struct sources *sources, size_t capacity)
{
	*sources = (struct sources){
		.layers = calloc(capacity + 1, sizeof(struct layer *)),
		.paths = calloc(capacity + 1, sizeof(char *)),
		.loaded = calloc(capacity + 1, sizeof(struct loaded *)),
		.stats = calloc(capacity + 1, sizeof(struct stat)),
	};
	return sources->layers && sources->paths && sources->loaded && sources->stats ? 0 : -ENOMEM;
}

void sources_add(struct sources *sources, const struct layer *layer, const char *path,
	struct loaded *loaded, const struct stat *stat)
{
	sources->layers[sources->count] = layer;
	sources->paths[sources->count] = path;
	sources->loaded[sources->count] = loaded;
	sources->stats[sources->count++] = *stat;
}

void sources_drop(struct sources *sources, size_t i)
{
	loaded_unref(sources->loaded[i]);
	sources->count--;
	for (; i < sources->count; i++) {
		sources->layers[i] = sources->layers[i + 1];
		sources->paths[i] = sources->paths[i + 1];
		sources->loaded[i] = sources->loaded[i + 1];
		sources->stats[i] = sources->stats[i + 1];
	}
}

void sources_fini(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		loaded_unref(sources->loaded[i]);
	free(sources->layers);
	free(sources->paths);
	free(sources->loaded);
	free(sources->stats);
}
