/*
 * What the gateway of etcd answers: one JSON object, which is a range of keys, a message of a
 * watch, a token, or an error. Which of them it is shows in what is there.
 *
 * In a watch an object stands in "result" or "error". Numbers of 64 bits come as strings; keys and
 * values as base64. All of it may be hostile.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "problem.h"

/* Bytes of one answer or message. etcd's own limit of a request is 1.5 MiB. */
#define ETCD_REPLY_MAX ((size_t)64 << 20)

/* A key with its value, or in a watch what has happened to it. */
struct etcd_key {
	struct span key;
	struct span value;
	uint64_t revision; /* the one that changed it last */
	bool is_deleted;
};

struct etcd_reply {
	uint64_t cluster;  /* 0: it has no header */
	uint64_t revision; /* of the store; 0: not told */
	uint64_t term;     /* of the leader, as far as this member knows; 0: not told */
	struct etcd_key *keys;
	size_t count;
	bool has_more;             /* of a range: it ends at the limit */
	bool is_succeeded;         /* of a transaction: its comparisons held */
	bool is_created;           /* of a watch: it is there */
	bool is_canceled;          /* of a watch: it has ended */
	bool is_fragment;          /* of a watch: the same revision goes on in the next message */
	uint64_t compact_revision; /* of a watch that was canceled: there is nothing older; or 0 */
	const char *token;         /* or NULL */
	const char *error;         /* or NULL */
	unsigned error_code;       /* gRPC's; 0: not told */
};

/* The codes of gRPC that we tell apart. */
#define ETCD_UNAUTHENTICATED 16

/**
 * Reads `text`. What *ret refers to lies in `arena`. Returns 0, PROBLEM, or -ENOMEM.
 */
int etcd_reply_read(
	struct span text, struct arena *arena, struct etcd_reply *ret, struct problem *problem);
