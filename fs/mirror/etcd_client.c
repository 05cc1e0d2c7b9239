#include "etcd_client.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "etcd_reply.h"

/* ms. */
#define TIMEOUT 10000

/* Number of rounds over all endpoints in which a write of unknown outcome is repeated. */
#define ROUNDS 2

struct etcd_client {
	struct etcd_client_options options;
	struct gateway *gateway;
	uint64_t cluster; /* 0: any */
};

void etcd_client_freep(struct etcd_client **place)
{
	struct etcd_client *client = *place;

	if (!client)
		return;
	gateway_freep(&client->gateway);
	free(client);
}

int etcd_client_new(const struct etcd_client_options *options, struct etcd_client **ret,
	struct problem *problem)
{
	CLEANUP(etcd_client_freep) struct etcd_client *client = calloc(1, sizeof(*client));

	if (!client)
		return -ENOMEM;
	client->options = *options;
	client->options.gateway.wake_fd = -1;
	client->options.gateway.is_sent_once = true;
	client->cluster = strtoull(options->cluster, NULL, 10);
	int r = gateway_new(&client->options.gateway, &client->gateway, problem);
	if (r == 0)
		*ret = take_ptr(client);
	return r;
}

/* Blocks SIGPIPE: else the end of a TLS connection's peer would kill us. Returns 0 or -errno. */
static int hold_pipe_signal(sigset_t *old)
{
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	return -pthread_sigmask(SIG_BLOCK, &pipe, old);
}

static void drop_pipe_signal(const sigset_t *old)
{
	const struct timespec now = {0};
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if (!sigismember(old, SIGPIPE))
		(void)sigtimedwait(&pipe, NULL, &now);
	(void)pthread_sigmask(SIG_SETMASK, old, NULL);
}

static int check_cluster(
	const struct etcd_client *client, const struct etcd_reply *reply, struct problem *problem)
{
	if (client->cluster && client->cluster != reply->cluster)
		return problem_set(problem, gateway_endpoint(client->gateway), 0, 0,
			"is the cluster %" PRIu64 ", and the layer is a mirror of %" PRIu64
			"; 'plyfs mirror status' shows more",
			reply->cluster, client->cluster);
	return 0;
}

static int call(struct etcd_client *client, const char *path, const char *body, struct arena *arena,
	struct etcd_reply *ret, struct problem *problem)
{
	struct credentials *as = &client->options.as;
	sigset_t signals;

	int r = credentials_take(as);
	if (r < 0)
		return problem_set(problem, NULL, 0, 0,
			"plyfs can't take on the rights of the user %u, who runs the mirror: %s; "
			"give --endpoints and --prefix",
			(unsigned)as->uid, strerror(-r));
	r = hold_pipe_signal(&signals);
	if (r == 0) {
		r = gateway_call(client->gateway, path, body, TIMEOUT, arena, ret, problem);
		drop_pipe_signal(&signals);
	}
	credentials_give_back(as);
	if (r == GATEWAY_TOO_LONG)
		r = problem_set(problem, gateway_endpoint(client->gateway), 0, 0,
			"answers with more than %zu MiB; put less under one key",
			ETCD_REPLY_MAX >> 20);
	return r ? r : check_cluster(client, ret, problem);
}

/* Takes the value from the reply to a range of this one key. */
static int take_value(const struct etcd_client *client, struct span key,
	const struct etcd_reply *reply, struct etcd_value *ret, struct problem *problem)
{
	*ret = (struct etcd_value){.store = reply->revision};
	if (!reply->count)
		return 0;
	if (reply->count > 1 || !span_equal(reply->keys[0].key, key) || !reply->keys[0].revision)
		return problem_set(problem, gateway_endpoint(client->gateway), 0, 0,
			"answers with other keys than requested; correct the endpoint, or the "
			"proxy before it");
	ret->text = reply->keys[0].value;
	if (!ret->text.data)
		ret->text.data = "";
	ret->revision = reply->keys[0].revision;
	return 0;
}

int etcd_client_read(struct etcd_client *client, struct span key, struct arena *arena,
	struct etcd_value *ret, struct problem *problem)
{
	CLEANUP(freep) char *key64 = base64_make(key);
	CLEANUP(freep) char *body = NULL;
	struct etcd_reply reply;
	int r = PROBLEM;

	if (!key64 || asprintf(&body, "{\"key\": \"%s\"}", key64) < 0)
		return -ENOMEM;
	for (unsigned left = gateway_count(client->gateway); r == PROBLEM && left > 0; left--) {
		r = call(client, "kv/range", body, arena, &reply, problem);
		if (r == 0)
			r = take_value(client, key, &reply, ret, problem);
		if (r == PROBLEM)
			gateway_next(client->gateway);
	}
	return r;
}

/* Makes a transaction for a key whose revision is `old`; 0: for a missing key. */
static char *make_swap(struct span key, uint64_t old, struct span text)
{
	CLEANUP(freep) char *key64 = base64_make(key);
	CLEANUP(freep) char *text64 = text.data ? base64_make(text) : strdup("");
	bool is_put = text.data;
	char *body;

	if (!key64 || !text64 ||
		asprintf(&body,
			"{\"compare\": [{\"key\": \"%s\", \"target\": \"MOD\", \"result\": "
			"\"EQUAL\", \"mod_revision\": \"%" PRIu64
			"\"}], \"success\": [{\"%s\": {\"key\": \"%s\"%s%s%s}}]}",
			key64, old, is_put ? "request_put" : "request_delete_range", key64,
			is_put ? ", \"value\": \"" : "", text64, is_put ? "\"" : "") < 0)
		return NULL;
	return body;
}

/*
 * Finds out, by the next endpoint, whether a write that failed or got no reply was done. Returns 0
 * if it was; PROBLEM with *is_old and the old message if it was not; PROBLEM with another message
 * if that is unknown; or -errno.
 */
static int look_again(struct etcd_client *client, struct span key, uint64_t old, struct span text,
	uint64_t *ret, bool *is_old, struct problem *problem)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct etcd_value value;
	struct problem first = *problem, second;

	*is_old = false;
	gateway_next(client->gateway);
	int r = arena_new(&arena);
	if (r == 0)
		r = etcd_client_read(client, key, arena, &value, &second);
	if (r < 0)
		return r;
	*is_old = r == 0 && value.revision == old;
	if (*is_old)
		return PROBLEM;
	if (r == 0 && !value.text.data == !text.data && span_equal(value.text, text)) {
		*ret = text.data ? value.revision : value.store;
		return 0;
	}
	return problem_set(problem, first.source, 0, 0,
		"%s; it is not known whether the change was written: read the value, and set it "
		"again if it is not there",
		first.message);
}

int etcd_client_swap(struct etcd_client *client, struct span key, uint64_t old, struct span text,
	uint64_t *ret, struct problem *problem)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	CLEANUP(freep) char *body = make_swap(key, old, text);
	unsigned tries = ROUNDS * gateway_count(client->gateway);
	struct etcd_reply reply;
	bool is_old = true, has_failed = false;

	int r = body ? arena_new(&arena) : -ENOMEM;
	if (r < 0)
		return r;
	for (r = PROBLEM; r == PROBLEM && is_old && tries-- > 0; has_failed = true) {
		r = call(client, "kv/txn", body, arena, &reply, problem);
		if (r == 0 && reply.word == ETCD_SUCCEEDED)
			*ret = reply.revision;
		/* After a failure, our own earlier write may be the one that made this one fail. */
		else if (r == 0 && !has_failed)
			r = ETCD_CLIENT_LOST;
		else if (r == 0 || r == PROBLEM)
			r = look_again(client, key, old, text, ret, &is_old, problem);
	}
	return r;
}
