/*
 * A client of etcd's JSON gateway, by libcurl. It has at most one request and one watch at a time.
 * Of several endpoints, one is used until the caller switches to the next.
 */
#pragma once

#include "etcd_reply.h"

struct gateway;

struct gateway_options {
	const char *endpoints; /* "http://a:2379,https://b:2379" */
	const char *ca;        /* file with the authorities' certificates; NULL: the system's */
	const char *cert;      /* file with the client's certificate; or NULL */
	const char *key;       /* file with the certificate's key */
	const char *user_file; /* a file with "NAME:PASSWORD"; or NULL */
	int wake_fd;           /* gateway_wait() ends when this becomes readable; -1: none */

	/*
	 * True: each request has a connection of its own. False: libcurl reuses connections. If
	 * a reused connection turns out to be closed, libcurl sends the request again, even if
	 * the server may have executed it.
	 */
	bool is_sent_once;
};

/* Positive results, besides PROBLEM. */
enum {
	GATEWAY_TOO_LONG = 2, /* the reply is longer than the limit */
};

/**
 * Checks the endpoints. A user or a password in an endpoint ("@") is a problem, whose message shows
 * no endpoint. Returns 0, PROBLEM or -ENOMEM.
 */
int gateway_check(const struct gateway_options *options, struct problem *problem);

/**
 * Makes a client, which borrows the names of files in `options`. Returns 0 with *ret for
 * gateway_freep(); PROBLEM; or -errno.
 */
int gateway_new(
	const struct gateway_options *options, struct gateway **ret, struct problem *problem);
void gateway_freep(struct gateway **gateway);

/** Returns the endpoint in use, without secrets. */
const char *gateway_endpoint(const struct gateway *gateway);

/** Switches to the next endpoint. */
void gateway_next(struct gateway *gateway);

/** Returns the number of endpoints. */
unsigned gateway_count(const struct gateway *gateway);

/** Sets the maximum size of the reply in gateway_call(), in bytes; at first ETCD_REPLY_MAX. */
void gateway_limit(struct gateway *gateway, size_t bytes);

/**
 * Sends `body` to `path`, such as "kv/range", with a token if there is a `user_file`. Waits for the
 * reply, which must name the cluster and the store's revision. Returns 0 with *ret, which lives as
 * long as `arena`; PROBLEM, also if etcd replies with an error; GATEWAY_TOO_LONG; or -ENOMEM.
 */
int gateway_call(struct gateway *gateway, const char *path, const char *body, unsigned timeout_ms,
	struct arena *arena, struct etcd_reply *ret, struct problem *problem);

/** Ends the previous watch, and begins one by the request `body`. Returns 0 or -errno. */
int gateway_watch(struct gateway *gateway, const char *body);

/**
 * Waits for a message of the watch. Returns 0, also if none came in time. If the watch has failed,
 * or has ended and no message is left, returns an error as gateway_call().
 */
int gateway_wait(struct gateway *gateway, unsigned timeout_ms, struct problem *problem);

/** Reads the next message of the watch, if any (*is_there). Returns as gateway_call(). */
int gateway_message(struct gateway *gateway, struct arena *arena, struct etcd_reply *ret,
	bool *is_there, struct problem *problem);
