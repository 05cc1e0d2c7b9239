/*
 * A layer that a mirror fills: edits go to the store itself, never to the mirror's copy.
 *
 * The mirror's record, STATE/status.json (store.h), says how to reach the store, unless the command
 * line does (struct store_access). The record is refused if users besides its owner can have
 * written it. It is trusted if the owner is root, or the user that makes the edit. It may name
 * files, such as one with a private key. If root makes the edit, plyfs reads these files with the
 * rights of the record's owner. If another user makes the edit, an untrusted record is refused if
 * it names files.
 */
#pragma once

#include "arena.h"
#include "gateway.h"
#include "layer_file.h"
#include "problem.h"
#include "span.h"

struct layer_store;

/*
 * How to reach the store, from the command line. If all members are NULL, the mirror's record is
 * used. Otherwise `gateway` must have endpoints. If `prefix` is NULL in that case, the record's
 * prefix is used, and the record must be trusted, even if root makes the edit.
 */
struct store_access {
	struct gateway_options gateway;
	const char *prefix;
};

/**
 * Opens the layer's store; *ret NULL: no mirror fills the layer. Borrows `access`. Returns 0 with
 * *ret for layer_store_freep(); PROBLEM if the store is unknown or its record unusable; or -errno.
 */
int layer_store_open(const struct layer *layer, const struct store_access *access,
	struct layer_store **ret, struct problem *problem);
void layer_store_freep(struct layer_store **store);

/**
 * Returns PROBLEM if the open `directory` lies in a mirror's copy, which no edit may change; 0 if
 * it does not; or -errno. `path` is the path of the edited file, for the message.
 */
int layer_store_refuse_copy(int directory, const char *path, struct problem *problem);

/**
 * Checks that the file `path` can be edited in the store. Returns 0, -ENOMEM, or PROBLEM for a git
 * repository: the user must commit the change there.
 */
int layer_store_check(const struct layer_store *store, const char *path, struct problem *problem);

/**
 * Calls layer_store_check(), then reads the file `path` of the layer from the store into `arena`.
 * ret->data is NULL if the store has no such file. Returns 0, PROBLEM or -errno.
 */
int layer_store_read(struct layer_store *store, const char *path, struct arena *arena,
	struct span *ret, struct problem *problem);

/** Returns the name, for messages, of the file that layer_store_read() has read last. */
const char *layer_store_name(const struct layer_store *store);

/**
 * Writes the file that layer_store_read() has read last; if text.data is NULL, removes it. Waits up
 * to five seconds until the layer shows the change. Returns 0; LAYER_FILE_MOVED if the file was
 * changed since it was read; PROBLEM; or -errno. If the result is 0, *revision is that of
 * etcd_client_swap(), and *unseen is NULL, or a static text: why the layer lacks the change.
 */
int layer_store_write(struct layer_store *store, struct span text, uint64_t *revision,
	const char **unseen, struct problem *problem);
