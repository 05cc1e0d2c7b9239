/* The sources of one composition, lowest layer first. */
#pragma once

#include "source_cache.h"

struct sources {
	const struct layer **layers;
	const char **paths; /* relative to the layers */
	struct loaded **loaded;
	struct stat *stats;
	size_t count;
};

/** Makes room for `capacity` sources. Returns 0 or -ENOMEM; call sources_fini() in any case. */
int sources_init(struct sources *sources, size_t capacity);

/** Adds a source. Takes the reference to `loaded`, which may be NULL; borrows the rest. */
void sources_add(struct sources *sources, const struct layer *layer, const char *path,
	struct loaded *loaded, const struct stat *stat);

/** Removes the source with the index `i`. */
void sources_drop(struct sources *sources, size_t i);

void sources_fini(struct sources *sources);
