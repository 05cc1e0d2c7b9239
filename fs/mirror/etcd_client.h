/*
 * A client of etcd that changes keys by compare-and-swap. The client reads the files that its
 * options name, and connects to the store, with the rights of the user in etcd_client_options.as
 * (credentials.h).
 */
#pragma once

#include "credentials.h"
#include "gateway.h"

struct etcd_client;

struct etcd_client_options {
	struct gateway_options gateway; /* `wake_fd` and `is_sent_once` are ignored */
	const char *cluster;            /* the required cluster id; "": any */
	struct credentials as;          /* all zero: our own */
};

struct etcd_value {
	struct span text;  /* `data` NULL: there is no such key */
	uint64_t revision; /* the revision that wrote the text; 0: there is no such key */
	uint64_t store;    /* the revision of the store when the key was read */
};

/* Positive result of etcd_client_swap(), besides PROBLEM. */
enum {
	ETCD_CLIENT_LOST = 2, /* nothing was written: the key has another revision */
};

/**
 * Creates a client. Copies the options, and borrows their strings. Returns 0 with *ret for
 * etcd_client_freep(), PROBLEM or -errno.
 */
int etcd_client_new(const struct etcd_client_options *options, struct etcd_client **ret,
	struct problem *problem);
void etcd_client_freep(struct etcd_client **client);

/** Reads the present value of the key into `arena`. Returns 0, PROBLEM or -errno. */
int etcd_client_read(struct etcd_client *client, struct span key, struct arena *arena,
	struct etcd_value *ret, struct problem *problem);

/**
 * Writes `text` to the key (text.data NULL: deletes the key) if the key's revision is `old` (0:
 * there is no such key). Returns 0; ETCD_CLIENT_LOST; PROBLEM, also if the outcome is unknown; or
 * -errno. After 0, *ret is the new revision; if the reply to a deletion was lost, a later revision.
 */
int etcd_client_swap(struct etcd_client *client, struct span key, uint64_t old, struct span text,
	uint64_t *ret, struct problem *problem);
