/*
 * A batch: the changes that a watch of etcd has reported and the mirror has not applied yet, in the
 * order of their revisions. A batch owns copies of all its data.
 */
#pragma once

#include "etcd_reply.h"

struct etcd_change {
	char *path;
	struct span value; /* its data is for free(3) */
	uint64_t revision;
	bool is_deleted;
};

/* All zero: empty. */
struct etcd_batch {
	struct etcd_change *changes;
	size_t count;
	size_t capacity;
	uint64_t revision; /* of the last reported change; 0: none was reported */
	size_t bytes;      /* of values, paths and structs */
	bool has_deletes;
	bool is_open; /* the events of the last revision continue in the next message */
};

/* Maximum of changes to apply one by one. For more changes, a draft (replica.h) is cheaper. */
#define ETCD_BATCH_SINGLE_MAX 64

/* Maximum of `bytes`. If a watch reports more, the mirror reads all keys again, page by page. */
#define ETCD_BATCH_BYTES_MAX (2 * ETCD_REPLY_MAX)

/** Adds a change. `path` NULL (no file): notes the revision alone. Returns 0 or -ENOMEM. */
int etcd_batch_add(struct etcd_batch *batch, const char *path, const struct etcd_key *key);

/**
 * Returns whether the changes can be applied one by one: there are at most ETCD_BATCH_SINGLE_MAX
 * changes, and each has a revision of its own.
 */
bool etcd_batch_is_single(const struct etcd_batch *batch);

void etcd_batch_clear(struct etcd_batch *batch);
void etcd_batch_fini(struct etcd_batch *batch);
