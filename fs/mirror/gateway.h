/*
 * The way to etcd: its JSON gateway, by libcurl. One request at a time, and beside it one watch,
 * whose messages come in while nobody asks.
 *
 * There are several endpoints, of which one is used until it fails. Nothing here waits for longer
 * than it says, and no answer is longer than ETCD_REPLY_MAX.
 */
#pragma once

#include "etcd_reply.h"

struct gateway;

struct gateway_options {
	const char *endpoints; /* "http://a:2379,https://b:2379" */
	const char *ca;        /* file; NULL: the system's */
	const char *cert;      /* of the client, with its key; or NULL */
	const char *key;
	const char *user_file; /* "NAME:PASSWORD"; or NULL */
	int wake_fd;           /* ends gateway_wait() when it can be read */

	/* A connection that was kept may have ended meanwhile; libcurl then sends the request once
	 * more, whether or not it was done. With this each request has a connection of its own. */
	bool is_sent_once;
};

/* Positive results, besides PROBLEM. */
enum {
	GATEWAY_TOO_LONG = 2, /* the answer is longer than it may be */
};

/** Returns 0 with *ret, PROBLEM for endpoints that are none, or -errno. */
int gateway_new(
	const struct gateway_options *options, struct gateway **ret, struct problem *problem);
void gateway_freep(struct gateway **gateway);

/** The endpoint in use, without what must not be shown. */
const char *gateway_endpoint(const struct gateway *gateway);

/** Goes over to the next endpoint. */
void gateway_next(struct gateway *gateway);

/** How many there are. */
unsigned gateway_count(const struct gateway *gateway);

/** Answers of calls may be that long from now on: at most ETCD_REPLY_MAX, which they may be at first. */
void gateway_limit(struct gateway *gateway, size_t bytes);

/**
 * Sends `body` to `path`, "kv/range", with a token where there is a user. The answer lies in
 * `arena`. Returns 0; PROBLEM, also for an error that etcd answers; GATEWAY_TOO_LONG; or -ENOMEM.
 */
int gateway_call(struct gateway *gateway, const char *path, const char *body, unsigned timeout_ms,
	struct arena *arena, struct etcd_reply *ret, struct problem *problem);

/** Begins a watch, in the place of the one there was. 0 or -errno. */
int gateway_watch(struct gateway *gateway, const char *body);

/** Waits for news of the watch. 0, whether some came or not; PROBLEM: it has ended. */
int gateway_wait(struct gateway *gateway, unsigned timeout_ms, struct problem *problem);

/** The next message of the watch; *is_there: there was one. As gateway_call(). */
int gateway_message(struct gateway *gateway, struct arena *arena, struct etcd_reply *ret,
	bool *is_there, struct problem *problem);
