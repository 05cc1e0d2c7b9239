/*
 * A layer that a mirror keeps, and that is written in the store itself, never in the mirror's copy.
 *
 * How the store is reached is told by the mirror, with the rights of whoever runs it: files that he
 * names are read as him, or, where that can't be, not at all. Somebody we trust may tell it
 * instead.
 */
#pragma once

#include "arena.h"
#include "gateway.h"
#include "layer.h"
#include "problem.h"
#include "span.h"

struct layer_store;

/*
 * How the store is reached, told by somebody we trust: by who asks for the change, on the command
 * line. All NULL: by the mirror alone. With its endpoints nothing else of it is the mirror's word,
 * but the prefix where we trust it.
 */
struct store_access {
	struct gateway_options gateway;
	const char *prefix;
};

/* Positive result of layer_store_write(): it is not what was read any more. */
#define LAYER_STORE_MOVED 2

/**
 * Finds out whether a mirror keeps the layer: *ret is NULL where none does. `access` is borrowed.
 * Returns 0 with *ret for layer_store_free(); PROBLEM for a store that can't be written from here,
 * with the remedy; or -errno.
 */
int layer_store_open(const struct layer *layer, const struct store_access *access,
	struct layer_store **ret, struct problem *problem);
void layer_store_free(struct layer_store *store); /* NULL is fine */

/**
 * Refuses a directory in a mirror's copy: it is no place to write to, whatever layer it is reached
 * by. Returns 0, PROBLEM or -errno.
 */
int layer_store_refuse_copy(int directory, const char *path, struct problem *problem);

/**
 * Whether a file of the layer can be changed from here: PROBLEM for a repository of git, with where
 * the change is to be committed. Returns 0, PROBLEM or -ENOMEM.
 */
int layer_store_check(const struct layer_store *store, const char *path, struct problem *problem);

/**
 * Reads what is there for `path` in the layer, as it is in the store now: `data` NULL: nothing. It
 * lies in `arena`. Returns 0; PROBLEM, also as layer_store_check(); or -errno.
 */
int layer_store_read(struct layer_store *store, const char *path, struct arena *arena,
	struct span *ret, struct problem *problem);

/** What messages call the file that was read last. */
const char *layer_store_name(const struct layer_store *store);

/**
 * Writes the file that was read last; `data` NULL: removes it. Returns 0 with the revision that was written,
 * LAYER_STORE_MOVED, PROBLEM or -errno.
 */
int layer_store_write(
	struct layer_store *store, struct span text, uint64_t *revision, struct problem *problem);

/** Waits, for some seconds, until the layer shows that revision. NULL: it does; else why not. */
const char *layer_store_wait(const struct layer_store *store, uint64_t revision);
