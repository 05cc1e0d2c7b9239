/*
 * Store places: where the sources of an explanation are in the stores that their layers are mirrors
 * of, as people name it:
 *
 *      etcd:/fleet/app.yaml@4711               the key, and the revision that it was written at
 *      git:4f2a91c0b1de:config/app.yaml        the commit, and the path in it
 *
 * A revision is told only when it is surely that of what was read.
 */
#pragma once

#include <stdio.h>

#include "layer.h"
#include "node.h"
#include "store.h"

struct store_place {
	const char *source; /* its name and rank; borrowed */
	unsigned rank;
	const struct store *store; /* the layer's */
	char *name;                /* the key, or the path in the repository */
	char *revision;            /* "": not known */
	char *text;                /* all of it, for people */
};

/* All zero: none. */
struct store_places {
	struct store_place *items;
	size_t count;
	size_t capacity;
};

/**
 * Notes the place of `source`, the file at `path` in the layer, which was in the state `read`, if
 * it is in a store. `source->name` is borrowed. 0 or -ENOMEM.
 */
int store_places_add(struct store_places *places, const struct layer *layer, const char *path,
	const struct stat *read, const struct source *source);
void store_places_fini(struct store_places *places);

/** The place of `source`; NULL: it is in no store. */
const struct store_place *store_places_find(
	const struct store_places *places, const struct source *source);

/** What people call `source`: its place in a store, else its file. */
const char *store_places_name(const struct store_places *places, const struct source *source);

/** Writes the field "etcd" or "git" of JSON, with a comma in front. */
void store_place_put_json(const struct store_place *place, FILE *out);
