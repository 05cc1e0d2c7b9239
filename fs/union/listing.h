/* A listing: the names that the layers show in one directory, by the rules of union.h. */
#pragma once

#include "union.h"

/* A name in a directory. */
struct listed {
	char *name;
	enum union_kind kind;
	layer_mask layers; /* the layers that have or hide the name; 0: added by expand.h */
};

struct listing {
	struct listed *items; /* in byte order of their names, each name once */
	size_t count;
	int error; /* errno: a layer or a name could not be examined; else 0 */
};

/** Lists the directory `path` of `layers`. Returns 0 with *ret for listing_free(), or -ENOMEM. */
int listing_take(
	const struct settings *settings, layer_mask layers, const char *path, struct listing *ret);
void listing_free(struct listing *listing);
