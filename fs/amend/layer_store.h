/*
 * A layer that a mirror fills: edits go to the store itself, never to the mirror's copy.
 *
 * The mirror's record says how to reach the store, unless the user that makes the edit says it.
 * Files that the record names are read with the rights of the user that runs the mirror; if that is
 * impossible, they are not read.
 */
#pragma once

#include "arena.h"
#include "gateway.h"
#include "layer_file.h"
#include "problem.h"
#include "span.h"

struct layer_store;

/*
 * How to reach the store, given on the command line by the user that makes the edit. If all members
 * are NULL, the mirror's record is used. Otherwise `gateway` must have endpoints, and the record
 * gives the cluster id. If `prefix` is NULL, the record also gives the prefix; then
 * layer_store_open() returns PROBLEM if the record is not trusted.
 */
struct store_access {
	struct gateway_options gateway;
	const char *prefix;
};

/**
 * Finds out whether a mirror fills the layer; *ret is NULL if none does. `access` is borrowed.
 * Returns 0 with *ret for layer_store_free(); PROBLEM, with the remedy, if the store is unknown or
 * its record is not trusted; or -errno.
 */
int layer_store_open(const struct layer *layer, const struct store_access *access,
	struct layer_store **ret, struct problem *problem);
void layer_store_free(struct layer_store *store); /* NULL: does nothing */
void layer_store_freep(struct layer_store **store);

/**
 * Refuses a directory inside a mirror's copy, as edits must not go there, whichever layer leads to
 * it. Returns 0, PROBLEM or -errno.
 */
int layer_store_refuse_copy(int directory, const char *path, struct problem *problem);

/**
 * Checks that the file `path` can be edited in the store. Returns 0; PROBLEM for a git repository,
 * with the place where the user must commit the change; or -ENOMEM.
 */
int layer_store_check(const struct layer_store *store, const char *path, struct problem *problem);

/**
 * Reads the file `path` of the layer from the store, into `arena`; ret->data NULL: it is absent.
 * Returns 0; PROBLEM, also if layer_store_check() returns it; or -errno.
 */
int layer_store_read(struct layer_store *store, const char *path, struct arena *arena,
	struct span *ret, struct problem *problem);

/** Returns the name, for messages, of the file that was read last. */
const char *layer_store_name(const struct layer_store *store);

/**
 * Writes the file that was read last; text.data NULL: removes it. Then waits up to five seconds
 * until the layer shows it. Returns 0 with the written revision in *revision (unchanged if it is
 * not known), and in *unseen why the layer does not show it yet (a static text; NULL: the layer
 * shows it); LAYER_FILE_MOVED: the key was changed since it was read; PROBLEM; or -errno.
 */
int layer_store_write(struct layer_store *store, struct span text, uint64_t *revision,
	const char **unseen, struct problem *problem);
