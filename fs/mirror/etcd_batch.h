/*
 * What a watch has told and is not done yet: changes of files, in the order of their revisions. It
 * has copies of all that it needs.
 */
#pragma once

#include "etcd_reply.h"

struct etcd_change {
	char *path;
	struct span value; /* its data for free(3) */
	uint64_t revision;
	bool is_deleted;
};

/* All zero: nothing. */
struct etcd_batch {
	struct etcd_change *changes;
	size_t count;
	size_t capacity;
	uint64_t revision; /* all of it is then at this one; 0: nothing was told */
	size_t bytes;      /* of the values, and what goes with them */
	bool has_deletes;
	bool is_open; /* the last revision goes on in the next message */
};

/* One after the other, each is a call of rename(2) with its bytes written to the disk before. With
 * more of them a new tree is cheaper. */
#define ETCD_BATCH_SINGLE_MAX 64

/* Bytes of values and paths. When more has changed at once, all is read again, page by page. */
#define ETCD_BATCH_BYTES_MAX (2 * ETCD_REPLY_MAX)

/** Adds a change; `path` NULL: of a key that is no file, but has a revision. 0 or -ENOMEM. */
int etcd_batch_add(struct etcd_batch *batch, const char *path, const struct etcd_key *key);

/** Whether no revision changes more than one file. */
bool etcd_batch_is_single(const struct etcd_batch *batch);

void etcd_batch_clear(struct etcd_batch *batch);
void etcd_batch_fini(struct etcd_batch *batch);
