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

struct etcd_reply {
	uint64_t cluster;  /* 0: the reply has no header */
	uint64_t revision; /* of the store; 0: not given */
	uint64_t term;     /* of the leader, as the answering server knows it; 0: not given */
	struct etcd_key *keys;
	size_t count;
	bool has_more;     /* of a range: there are more keys than the request's limit */
	bool is_succeeded; /* of a transaction: its comparisons were true */
	bool is_created;   /* of a watch: the watch was created */
	bool is_canceled;  /* of a watch: the watch has ended */
	bool is_fragment;  /* of a watch: the revision's events continue in the next message */
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
