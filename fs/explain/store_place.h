/*
 * Store places. If a mirror fills a source's layer, the source has a place in the store:
 *
 *      etcd:/fleet/app.yaml@4711               the key, and the revision that wrote it
 *      git:4f2a91c0b1de:config/app.yaml        the commit, and the path in it
 *
 * The revision or commit is given only if it certainly has the bytes that were read.
 */
#pragma once

#include "json_put.h"
#include "layer.h"
#include "node.h"
#include "store.h"

struct store_place {
	const char *source;        /* the source's name; borrowed */
	unsigned rank;             /* of the source's layer */
	const struct store *store; /* the layer's; borrowed */
	char *name;                /* the key, or the path in the repository */
	char *revision;            /* "": unknown */
	char *text;                /* key or path, with the revision, for people */
};

/* All zero: no places. */
struct store_places {
	struct store_place *items;
	size_t count;
	size_t capacity;
};

/**
 * Adds the place of `source`, if a mirror fills its layer. `source` is the file at `path` in
 * `layer`; `read` has the attributes that the file had when it was read. Borrows `source->name`.
 * Returns 0 or -ENOMEM.
 */
int store_places_add(struct store_places *places, const struct layer *layer, const char *path,
	const struct stat *read, const struct source *source);
void store_places_fini(struct store_places *places);

/** Returns the place of `source`; NULL: it is in no store. */
const struct store_place *store_places_find(
	const struct store_places *places, const struct source *source);

/** Returns the name of `source` for people: its place in a store, or its file's name. */
const char *store_places_name(const struct store_places *places, const struct source *source);

/** Writes the JSON field "etcd" or "git", with a comma in front. */
void store_place_put_json(const struct store_place *place, struct json *out);
