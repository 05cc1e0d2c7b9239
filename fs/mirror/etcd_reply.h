/*
 * A reply of etcd's gateway: one JSON object, which may be hostile. It has a range of keys, the
 * result of a transaction, a message of a watch, a token, or an error.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "problem.h"

/* Maximum size of one reply or message, in bytes. etcd itself limits a request to 1.5 MiB. */
#define ETCD_REPLY_MAX ((size_t)64 << 20)

/* A key with its value, or an event of a watch. */
struct etcd_key {
	struct span key; /* a NUL follows */
	struct span value;
	uint64_t revision; /* the revision that last changed the key */
	bool is_deleted;
};

/* A word that a reply has besides keys. Each kind of request has words of its own. */
enum etcd_word {
	ETCD_NO_WORD,
	ETCD_MORE,      /* of a range: there are more keys than the request's limit */
	ETCD_SUCCEEDED, /* of a transaction: its comparisons were true */
	ETCD_CANCELED,  /* of a watch: the watch has ended */
	ETCD_CREATED,   /* of a watch: the watch was created */
	ETCD_FRAGMENT,  /* of a watch: the revision's events continue in the next message */
};

struct etcd_reply {
	uint64_t cluster;  /* 0: the reply has no header */
	uint64_t revision; /* of the store; 0: not given */
	uint64_t term;     /* of the leader, as the answering server knows it; 0: not given */
	struct etcd_key *keys;
	size_t count;
	enum etcd_word word;
	uint64_t compact_revision; /* of a canceled watch: the oldest revision in etcd; or 0 */
	const char *token;         /* or NULL */
	const char *error;         /* or NULL */
	unsigned error_code;       /* gRPC's; 0: not given */
};

/* gRPC's code for a request without a valid token. */
#define ETCD_UNAUTHENTICATED 16

/** Parses `text`. All data that *ret points to lies in `arena`. Returns 0, PROBLEM, or -ENOMEM. */
int etcd_reply_read(
	struct span text, struct arena *arena, struct etcd_reply *ret, struct problem *problem);

/*
 * Base64, in which the gateway has keys and values. It is that of RFC 4648, section 4: padded,
 * without white space.
 */

/** Encodes the bytes into a new string, for free(3). NULL: no memory. */
char *base64_make(struct span bytes);

/**
 * Decodes `text` to `out`, which has text.len / 4 * 3 bytes, and may be the memory of `text`. Sets
 * *ret_len to the number of decoded bytes. Returns false if `text` is not base64.
 */
bool base64_decode(struct span text, char *out, size_t *ret_len);

/*
 * A batch: the changes that a watch has reported and the mirror has not applied yet, in the order
 * of their revisions. A batch owns copies of all its data. All zero: empty.
 */
struct etcd_batch {
	struct etcd_key *changes; /* `key` is the path of the file */
	size_t count;
	size_t capacity;
	uint64_t revision; /* of the last reported change; 0: none was reported */
	size_t bytes;      /* of values, paths and structs */
	bool is_open;      /* the events of the last revision continue in the next message */
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
