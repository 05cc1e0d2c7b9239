/*
 * A client of etcd that changes keys, each by compare-and-swap: it is read, and written only if
 * nobody has written it since. So two who change the same key never lose a change.
 *
 * Files with credentials are read, and the store is reached, in a guise (guise.h).
 */
#pragma once

#include "gateway.h"
#include "guise.h"

struct etcd_client;

struct etcd_client_options {
	struct gateway_options gateway;
	const char *cluster; /* its id, which must be this one; "": any */
	struct guise guise;
};

struct etcd_value {
	struct span text;  /* `data` NULL: there is no such key */
	uint64_t revision; /* at which it was written; 0: there is none */
};

/* Positive result of etcd_client_swap(), besides PROBLEM. */
enum {
	ETCD_CLIENT_LOST = 2, /* somebody else has written it meanwhile */
};

/** The options are copied, what they refer to is borrowed. 0 with *ret, PROBLEM or -errno. */
int etcd_client_new(const struct etcd_client_options *options, struct etcd_client **ret,
	struct problem *problem);
void etcd_client_free(struct etcd_client *client); /* NULL is fine */

/** Reads the key as it is now, into `arena`. 0, PROBLEM or -errno. */
int etcd_client_read(struct etcd_client *client, struct span key, struct arena *arena,
	struct etcd_value *ret, struct problem *problem);

/**
 * Writes the key, if it still is of the revision `old`; 0: if it still is not there. With `data` NULL
 * it is deleted. *ret is the
 * revision then. 0; ETCD_CLIENT_LOST; PROBLEM, also when nobody knows whether it was written; or
 * -errno.
 */
int etcd_client_swap(struct etcd_client *client, struct span key, uint64_t old, struct span text,
	uint64_t *ret, struct problem *problem);
