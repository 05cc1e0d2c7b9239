#include "etcd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "etcd_reply.h"
#include "path.h"
#include "text.h"
#include "tree.h"

/* Number of keys of the first page; half as many after a page that is too long. */
#define PAGE_KEYS 1000

/* Maximum size of a page of several keys, in bytes: memory follows the values, not the store. */
#define PAGE_BYTES ((size_t)4 << 20)

/* Time limits of a page and of a probe, in ms. */
#define PAGE_TIMEOUT 30000
#define PROBE_TIMEOUT 5000

/* ms between two probes of a member whose watch is silent. */
#define PROBE_INTERVAL 10000

/* A session that lasted so many ms resets the pause: the next attempt comes at once. */
#define SESSION_GOOD 5000

/* ms between two reads of a state that is held back. */
#define HELD_INTERVAL 10000

/*
 * A positive result, besides those of mirror.h: the state is held back as its store is not the
 * known one. Another member may be the right one.
 */
#define ETCD_STRANGE 32

/* Another one: the watch has ended, as the revision at which it was to begin is compacted. */
#define ETCD_COMPACTED 64

struct etcd {
	const struct etcd_options *options;
	struct mirror *mirror;
	struct gateway *gateway;
	struct span prefix;
	char *prefix64, *end64; /* the requested range, as base64 */
	uint64_t revision;      /* of the present tree; 0: none, or unknown */
	bool wants_read;        /* all keys must be read again */
	bool has_clash;         /* a key is left out because it is a directory, too */
	bool is_watched;        /* the member has confirmed the watch */
	bool was_away;          /* no member has answered for a while */
	unsigned strange;       /* consecutive members whose store is not the known one */
	uint64_t term;          /* of the cluster's leader: the highest that a majority has known */
	unsigned page;
	/* names the state that is being read; "": the user has confirmed that state */
	char offer[MIRROR_WORD_MAX];
	int64_t compare_at; /* a time of clock_ms(), as is the next */
	int64_t probe_at;
};

/* Makes the request for the keys from `from64` on, for free(3). NULL: no memory. */
static char *make_range(
	const struct etcd *etcd, const char *from64, unsigned limit, uint64_t revision)
{
	char *body;

	(void)text_format(&body,
		"{\"key\": \"%s\", \"range_end\": \"%s\", \"limit\": \"%u\", \"revision\": "
		"\"%" PRIu64 "\"}",
		from64, etcd->end64, limit, revision);
	return body;
}

static void clash(struct etcd *etcd, const char *path, size_t len)
{
	char subject[TREE_PATH_MAX + 8];

	etcd->has_clash = true;
	snprintf(subject, sizeof(subject), "key %.*s", (int)len, path);
	mirror_fault(etcd->mirror, subject,
		"there are keys below it, so it is a directory and can't be a file; rename it");
}

static void revise(struct etcd *etcd, uint64_t revision)
{
	char word[32];

	snprintf(word, sizeof(word), "%" PRIu64, revision);
	replica_revise(etcd->mirror->replica, revision ? word : "");
}

static int draft_put(struct etcd *etcd, const char *path, struct span value, uint64_t revision)
{
	size_t taken;
	revise(etcd, revision);
	int r = replica_draft_put(
		etcd->mirror->replica, path, value, etcd->mirror->options.mode, &taken);

	if (r == TREE_CLASH)
		taken = strlen(path);
	if ((r == 0 || r == TREE_CLASH) && taken)
		clash(etcd, path, taken);
	return r < 0 ? r : 0;
}

/* Makes the key's path, for free(3); *ret NULL: it can't be a path. Returns 0 or -ENOMEM. */
static int path_of(struct etcd *etcd, const struct etcd_key *key, char **ret)
{
	struct span path = {key->key.data + etcd->prefix.len, key->key.len - etcd->prefix.len};
	char subject[TREE_PATH_MAX + 8];

	*ret = NULL;
	const char *why = tree_path_refuse(path);
	if (why) {
		snprintf(subject, sizeof(subject), "key %.*s", (int)path.len, path.data);
		if (key->is_deleted)
			mirror_mend(etcd->mirror, subject);
		else
			mirror_fault(etcd->mirror, subject, "the key %s", why);
		return 0;
	}
	*ret = strndup(path.data, path.len);
	return *ret ? 0 : -ENOMEM;
}

static bool is_ours(const struct etcd *etcd, struct span key)
{
	return key.len >= etcd->prefix.len &&
	       span_equal(etcd->prefix, (struct span){key.data, etcd->prefix.len});
}

static int take_page(struct etcd *etcd, const struct etcd_reply *reply)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < reply->count; i++) {
		CLEANUP(freep) char *path = NULL;

		if (!is_ours(etcd, reply->keys[i].key))
			continue;
		r = path_of(etcd, &reply->keys[i], &path);
		if (r == 0 && path)
			r = draft_put(etcd, path, reply->keys[i].value, reply->keys[i].revision);
	}
	return r;
}

/* Formats "CLUSTER/REVISION". */
static void make_offer(uint64_t cluster, uint64_t revision, char offer[MIRROR_WORD_MAX])
{
	snprintf(offer, MIRROR_WORD_MAX, "%" PRIu64 "/%" PRIu64, cluster, revision);
}

static uint64_t known_cluster(const struct etcd *etcd)
{
	return strtoull(etcd->mirror->status.identity, NULL, 10);
}

/* Returns whether the user has confirmed this cluster, at this revision or an earlier one. */
static bool is_confirmed(struct etcd *etcd, const struct etcd_reply *reply)
{
	char word[MIRROR_WORD_MAX], *end;

	mirror_read_confirmation(etcd->mirror, word);
	if (strtoull(word, &end, 10) != reply->cluster || end == word || *end != '/')
		return false;
	return strtoull(end + 1, NULL, 10) <= reply->revision;
}

/* Checks that the store is the known one, and no older. Returns 0 or ETCD_STRANGE. */
static int check_store(struct etcd *etcd, const struct etcd_reply *reply)
{
	uint64_t known = known_cluster(etcd);

	make_offer(reply->cluster, reply->revision, etcd->offer);
	if (is_confirmed(etcd, reply))
		*etcd->offer = '\0';
	if (!*etcd->offer || !replica_is_filled(etcd->mirror->replica))
		return 0;
	if (known && known != reply->cluster) {
		mirror_hold(etcd->mirror, etcd->offer,
			"%s is the cluster %" PRIu64 ", and the present state comes from %" PRIu64,
			gateway_endpoint(etcd->gateway), reply->cluster, known);
		return ETCD_STRANGE;
	}
	if (reply->revision < etcd->revision) {
		mirror_hold(etcd->mirror, etcd->offer,
			"%s is at revision %" PRIu64 ", and the present state is at %" PRIu64
			": it was set back",
			gateway_endpoint(etcd->gateway), reply->revision, etcd->revision);
		return ETCD_STRANGE;
	}
	return 0;
}

/* Finds out whether the key is not before the beginning of the page. Returns 0 or -ENOMEM. */
static int goes_on(const char *from64, struct span key, bool *ret)
{
	CLEANUP(freep) char *from = malloc(strlen(from64) + 1);
	size_t len = 0;

	if (!from)
		return -ENOMEM;
	(void)base64_decode(span_of(from64), from, &len);
	int order = memcmp(key.data, from, key.len < len ? key.len : len);
	*ret = order > 0 || (order == 0 && key.len >= len);
	return 0;
}

/*
 * Checks that a page belongs to those before it, and, if another is to follow, moves forward.
 * Returns 0, PROBLEM or -ENOMEM.
 */
static int check_page(struct etcd *etcd, const char *from64, bool is_first,
	const struct etcd_reply *reply, struct problem *problem)
{
	bool is_good = reply->word != ETCD_MORE;
	int r = 0;

	if (!is_first && reply->cluster != known_cluster(etcd))
		return problem_set(problem, gateway_endpoint(etcd->gateway), 0, 0,
			"answers for another cluster than it did for the keys before; is it the "
			"address of several?");
	if (reply->word == ETCD_MORE && reply->count)
		r = goes_on(from64, reply->keys[reply->count - 1].key, &is_good);
	if (r == 0 && !is_good)
		return problem_set(problem, gateway_endpoint(etcd->gateway), 0, 0,
			"gives pages of keys that do not go on; correct the endpoint, or the proxy "
			"before it");
	return r;
}

/* Reads the page from `from64` on. *next is the beginning of the next page; NULL: there is none. */
static int read_page(struct etcd *etcd, const char *from64, uint64_t *revision, char **next,
	struct problem *problem)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	CLEANUP(freep) char *body = make_range(etcd, from64, etcd->page, *revision);
	struct etcd_reply reply;

	*next = NULL;
	int r = body ? arena_new(&arena) : -ENOMEM;
	if (r == 0)
		r = gateway_call(
			etcd->gateway, "kv/range", body, PAGE_TIMEOUT, arena, &reply, problem);
	if (r == 0)
		r = check_page(etcd, from64, !*revision, &reply, problem);
	if (r != 0)
		return r;
	if (!*revision) {
		r = check_store(etcd, &reply);
		if (r != 0)
			return r;
		*revision = reply.revision;
		etcd->term = reply.term;
		snprintf(etcd->mirror->status.identity, MIRROR_WORD_MAX, "%" PRIu64, reply.cluster);
	}
	r = take_page(etcd, &reply);
	if (r < 0 || reply.word != ETCD_MORE || !reply.count)
		return r;
	/* The first possible key behind the last one is that key with a NUL, which is behind it. */
	const struct span last = reply.keys[reply.count - 1].key;
	*next = base64_make((struct span){last.data, last.len + 1});
	return *next ? 0 : -ENOMEM;
}

static int read_pages(struct etcd *etcd, uint64_t *revision, struct problem *problem)
{
	CLEANUP(freep) char *from = strdup(etcd->prefix64);

	if (!from)
		return -ENOMEM;
	while (from) {
		char *next;

		gateway_limit(etcd->gateway, etcd->page > 1 ? PAGE_BYTES : ETCD_REPLY_MAX);
		int r = read_page(etcd, from, revision, &next, problem);

		if (r == GATEWAY_TOO_LONG && etcd->page > 1) {
			etcd->page /= 2;
			continue;
		}
		if (r == GATEWAY_TOO_LONG)
			return problem_set(problem, gateway_endpoint(etcd->gateway), 0, 0,
				"a key's value is longer than 45 MB; make it smaller");
		if (r != 0)
			return r;
		free(from);
		from = next;
	}
	return 0;
}

static void took(struct etcd *etcd, uint64_t revision, bool is_changed)
{
	char word[32];

	etcd->revision = revision;
	etcd->strange = 0;
	snprintf(word, sizeof(word), "%" PRIu64, revision);
	snprintf(etcd->mirror->status.endpoint, MIRROR_WORD_MAX, "%s",
		gateway_endpoint(etcd->gateway));
	mirror_took(etcd->mirror, word, is_changed);
}

static int fail_on_disk(struct etcd *etcd, int error)
{
	replica_discard(etcd->mirror->replica);
	etcd->wants_read = true;
	if (error == -ENOMEM)
		return error;
	mirror_fault(etcd->mirror, "disk", "%s: %s; the present state stays",
		replica_state_path(etcd->mirror->replica), strerror(-error));
	return MIRROR_HELD;
}

/*
 * Makes all keys at one revision the present tree. Returns 0, PROBLEM, MIRROR_HELD, ETCD_STRANGE,
 * GATEWAY_TOO_LONG or -ENOMEM.
 */
static int read_all(struct etcd *etcd, struct problem *problem)
{
	char identity[MIRROR_WORD_MAX];
	struct mirror *mirror = etcd->mirror;
	uint64_t revision = 0;

	snprintf(identity, sizeof(identity), "%s", mirror->status.identity);
	int r = replica_begin(mirror->replica, NULL);
	if (r < 0)
		return fail_on_disk(etcd, r);
	etcd->has_clash = false;
	mirror_status_sweep_begin(&mirror->status, "key ");
	r = read_pages(etcd, &revision, problem);
	if (r == 0) {
		mirror_status_sweep_end(&mirror->status);
		r = mirror_publish(mirror, *etcd->offer ? etcd->offer : NULL);
	}
	if (r != 0) {
		replica_discard(mirror->replica);
		snprintf(mirror->status.identity, MIRROR_WORD_MAX, "%s", identity);
		/* A page has come: the state is held back, or the disk fails. */
		if (revision && r != PROBLEM)
			mirror_answered(mirror);
		return r < 0 ? fail_on_disk(etcd, r) : r;
	}
	took(etcd, revision, false);
	etcd->wants_read = false;
	etcd->compare_at = clock_ms() + mirror_jitter(etcd->options->compare_s * 1000);
	return 0;
}

/*
 * Detects a cluster that was set back to an old snapshot, and was written to so often since that
 * its revision is not lower than ours. A lower term reveals it, but the term need not be lower:
 * after an outage, the next comparison comes early.
 */
static void check_history(struct etcd *etcd, const struct etcd_reply *reply)
{
	int64_t soon = clock_ms() + mirror_jitter(etcd->options->compare_s * 1000 / 4);

	etcd->wants_read |= reply->term < etcd->term;
	etcd->term = reply->term;
	if (etcd->was_away && soon < etcd->compare_at)
		etcd->compare_at = soon;
	etcd->was_away = false;
}

/*
 * Asks whether the member is alive, and still of the known cluster. During a watch it may answer
 * without the other members: if it loses them, the watch ends.
 */
static int probe(struct etcd *etcd, bool is_watching, struct problem *problem)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	CLEANUP(freep) char *body = NULL;
	struct etcd_reply reply;

	int r = text_format(&body, "{\"key\": \"%s\", \"keys_only\": true, \"serializable\": %s}",
		etcd->prefix64, is_watching ? "true" : "false");
	if (r == 0)
		r = arena_new(&arena);
	if (r == 0)
		r = gateway_call(
			etcd->gateway, "kv/range", body, PROBE_TIMEOUT, arena, &reply, problem);
	if (r != 0)
		return r;
	etcd->probe_at = clock_ms() + mirror_jitter(PROBE_INTERVAL);
	/* In doubt all keys are read. The revision of a member that answers alone may lag. */
	etcd->wants_read |= reply.cluster != known_cluster(etcd) ||
			    (!is_watching && reply.revision < etcd->revision);
	if (!is_watching)
		check_history(etcd, &reply);
	etcd->mirror->status.contact = time(NULL);
	mirror_put_status(etcd->mirror);
	return 0;
}

static int begin_watch(struct etcd *etcd)
{
	CLEANUP(freep) char *body = NULL;

	int r = text_format(&body,
		"{\"create_request\": {\"key\": \"%s\", \"range_end\": \"%s\", "
		"\"start_revision\": "
		"\"%" PRIu64 "\", \"progress_notify\": true, \"fragment\": true}}",
		etcd->prefix64, etcd->end64, etcd->revision + 1);
	return r == 0 ? gateway_watch(etcd->gateway, body) : r;
}

/* Applies the changes one by one, each as a file replaced in the present tree. */
static int apply_singly(
	struct etcd *etcd, const struct etcd_batch *batch, size_t *done, bool *is_changed)
{
	struct mirror *mirror = etcd->mirror;
	size_t before = replica_count(mirror->replica);
	int r = 0;

	for (*done = 0; *done < batch->count; ++*done) {
		const struct etcd_key *change = &batch->changes[*done];
		size_t removed = before - replica_count(mirror->replica) + 1;
		bool is_this_changed = false;

		/* More files would go away than is allowed: the comparison of a draft decides. */
		if (change->is_deleted && removed <= before &&
			removed * 100 > before * mirror->options.max_delete)
			return REPLICA_NEEDS_DRAFT;
		revise(etcd, change->revision);
		if (change->is_deleted)
			r = replica_remove(mirror->replica, change->key.data, &is_this_changed);
		else
			r = replica_put(mirror->replica, change->key.data, change->value,
				mirror->options.mode, &is_this_changed);
		*is_changed |= is_this_changed;
		if (r != 0)
			return r;
		etcd->revision = change->revision;
	}
	return 0;
}

/* Applies the changes from `from` on, all at once. */
static int apply_together(struct etcd *etcd, const struct etcd_batch *batch, size_t from)
{
	CLEANUP(path_list_fini) struct path_list paths = {0};
	struct mirror *mirror = etcd->mirror;
	char offer[MIRROR_WORD_MAX];
	int r = 0;

	for (size_t i = from; r == 0 && i < batch->count; i++)
		r = path_list_add(&paths, batch->changes[i].key.data, batch->changes[i].key.len);
	if (r == 0)
		r = replica_begin(mirror->replica, &paths);
	for (size_t i = from; r == 0 && i < batch->count; i++) {
		const struct etcd_key *change = &batch->changes[i];

		r = change->is_deleted
			    ? replica_draft_remove(mirror->replica, change->key.data)
			    : draft_put(etcd, change->key.data, change->value, change->revision);
	}
	make_offer(known_cluster(etcd), batch->revision, offer);
	return r ? r : mirror_publish(mirror, offer);
}

static bool has_deletes(const struct etcd_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		if (batch->changes[i].is_deleted)
			return true;
	return false;
}

static int apply(struct etcd *etcd, struct etcd_batch *batch)
{
	bool is_changed = false;
	size_t done = 0;
	int r = REPLICA_NEEDS_DRAFT;

	if (batch->revision <= etcd->revision)
		return 0;
	/* A key that was left out for a directory returns when the directory goes. */
	if (etcd->has_clash && has_deletes(batch)) {
		etcd->wants_read = true;
		return 0;
	}
	if (etcd_batch_is_single(batch))
		r = apply_singly(etcd, batch, &done, &is_changed);
	if (r == REPLICA_NEEDS_DRAFT)
		r = apply_together(etcd, batch, done);
	if (r < 0)
		return fail_on_disk(etcd, r);
	if (r == 0)
		took(etcd, batch->revision, is_changed);
	else
		etcd->wants_read = true;
	return r;
}

static int take_events(struct etcd *etcd, const struct etcd_reply *reply, struct etcd_batch *batch)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < reply->count; i++) {
		const struct etcd_key *key = &reply->keys[i];
		CLEANUP(freep) char *path = NULL;

		/* The present tree has this change already. */
		if (key->revision <= etcd->revision || !is_ours(etcd, key->key))
			continue;
		r = path_of(etcd, key, &path);
		if (r == 0)
			r = etcd_batch_add(batch, path, key);
	}
	return r;
}

static int take_message(struct etcd *etcd, const struct etcd_reply *reply, struct etcd_batch *batch,
	struct problem *problem)
{
	/*
	 * Report a problem, which makes a pause: behind one address, each watch may reach the other
	 * cluster, and each read ours.
	 */
	if (reply->cluster && reply->cluster != known_cluster(etcd)) {
		etcd->wants_read = true;
		return problem_set(problem, gateway_endpoint(etcd->gateway), 0, 0,
			"watches another cluster than it reads; is it the address of several?");
	}
	if (reply->word == ETCD_CANCELED) {
		/* Compacted: the events that we have missed no longer exist. */
		etcd->wants_read = true;
		if (reply->compact_revision)
			return ETCD_COMPACTED;
		return problem_set(problem, gateway_endpoint(etcd->gateway), 0, 0,
			"has ended the watch: %s",
			reply->error ? reply->error : "it does not say why");
	}
	/* The batch exceeds the memory limit. */
	if (batch->bytes > ETCD_BATCH_BYTES_MAX) {
		etcd->wants_read = true;
		return 0;
	}
	etcd->is_watched |= reply->word == ETCD_CREATED;
	batch->is_open = reply->word == ETCD_FRAGMENT;
	/* Up to this revision there were no changes. */
	if (!reply->count && reply->word != ETCD_CREATED && !batch->count &&
		reply->revision > etcd->revision)
		batch->revision = reply->revision;
	return take_events(etcd, reply, batch);
}

/* Reads all messages that have arrived, and applies the batch if it is complete. */
static int take_messages(struct etcd *etcd, struct etcd_batch *batch, struct problem *problem)
{
	bool is_there = true;
	int r = 0;

	while (r == 0 && is_there && !etcd->wants_read) {
		CLEANUP(arena_freep) struct arena *arena = NULL;
		struct etcd_reply reply;

		r = arena_new(&arena);
		if (r == 0)
			r = gateway_message(etcd->gateway, arena, &reply, &is_there, problem);
		if (r == 0 && is_there) {
			etcd->probe_at = clock_ms() + mirror_jitter(PROBE_INTERVAL);
			r = take_message(etcd, &reply, batch, problem);
		}
	}
	/* A complete batch is applied even if the connection has ended behind it. */
	if (r >= 0 && !batch->is_open && !etcd->wants_read && batch->revision) {
		int applied = apply(etcd, batch);
		etcd_batch_clear(batch);
		r = applied ? applied : r;
	}
	return r;
}

static unsigned time_left(const struct etcd *etcd)
{
	int64_t now = clock_ms();
	int64_t next = etcd->probe_at < etcd->compare_at ? etcd->probe_at : etcd->compare_at;

	return next > now ? (unsigned)(next - now) : 1;
}

/* Watches until all keys must be read again (0, or ETCD_COMPACTED), or the store fails. */
static int watch(struct etcd *etcd, struct problem *problem)
{
	CLEANUP(etcd_batch_fini) struct etcd_batch batch = {0};

	etcd->is_watched = false;
	etcd->probe_at = clock_ms() + mirror_jitter(PROBE_INTERVAL);
	int r = begin_watch(etcd);
	while (r == 0 && !etcd->wants_read) {
		r = gateway_wait(etcd->gateway, time_left(etcd), problem);
		if (r == 0)
			r = take_messages(etcd, &batch, problem);
		if (r != 0)
			break;
		if (mirror_is_woken(etcd->mirror) || clock_ms() >= etcd->compare_at)
			etcd->wants_read = true;
		else if (clock_ms() >= etcd->probe_at && !etcd->is_watched)
			r = problem_set(problem, gateway_endpoint(etcd->gateway), 0, 0,
				"does not begin a watch; look at etcd, and at the proxy before it");
		else if (clock_ms() >= etcd->probe_at)
			r = probe(etcd, true, problem);
	}
	return r;
}

/* Mirrors with one endpoint, until it fails or a state is held back. */
static int serve(struct etcd *etcd, struct problem *problem)
{
	int r = 0;

	while (r == 0) {
		/* Before a watch resumes, the store must be proven to be the known one. */
		if (!etcd->wants_read)
			r = probe(etcd, false, problem);
		if (r == 0 && etcd->wants_read)
			r = read_all(etcd, problem);
		if (r == 0 && !etcd->mirror->status.is_connected)
			took(etcd, etcd->revision, false);
		int64_t began = clock_ms();
		if (r == 0)
			r = watch(etcd, problem);
		if (r != ETCD_COMPACTED)
			continue;
		/* Pauses before the missed changes are read: no busy loop. */
		if (clock_ms() - began > SESSION_GOOD)
			etcd->mirror->attempts = 0;
		(void)mirror_sleep(etcd->mirror, mirror_pause(etcd->mirror, 1));
		r = 0;
	}
	return r;
}

static int keep(struct etcd *etcd)
{
	struct mirror *mirror = etcd->mirror;

	for (;;) {
		struct problem problem;
		char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX];
		unsigned pause = mirror_jitter(HELD_INTERVAL);
		int64_t began = clock_ms();

		int r = serve(etcd, &problem);
		if (clock_ms() - began > SESSION_GOOD)
			mirror->attempts = 0;
		if (r < 0)
			return r;
		if (r == GATEWAY_TOO_LONG) {
			/* Reading page by page may succeed, but not without a pause. */
			etcd->wants_read = true;
			pause = mirror_pause(mirror, 1);
		} else if (r == PROBLEM) {
			problem_format(&problem, text, sizeof(text));
			mirror->status.is_connected = false;
			etcd->strange = 0;
			mirror_fault(mirror, "store", "%s", text);
			gateway_next(etcd->gateway);
			pause = mirror_pause(mirror, gateway_count(etcd->gateway));
			etcd->was_away |= mirror->attempts > gateway_count(etcd->gateway);
		} else {
			etcd->wants_read = true;
		}
		if (r == ETCD_STRANGE) {
			gateway_next(etcd->gateway);
			if (++etcd->strange % gateway_count(etcd->gateway))
				pause = 1;
			else
				mirror_answered(mirror);
		}
		if (mirror_sleep(mirror, pause))
			etcd->wants_read = true;
	}
}

/* Sets the requested range: from the prefix to behind all keys that begin with it. */
static int set_range(struct etcd *etcd, const char *prefix)
{
	size_t len = strlen(prefix);
	CLEANUP(freep) char *end = strdup(len ? prefix : "");

	if (!end)
		return -ENOMEM;
	etcd->prefix = (struct span){prefix, len};
	/*
	 * The prefix ends with a slash, and the next byte behind a slash is '0'. Without a prefix,
	 * a NUL byte stands for the first key, and for no end.
	 */
	if (len)
		end[len - 1]++;
	etcd->prefix64 = base64_make(len ? etcd->prefix : (struct span){"", 1});
	etcd->end64 = base64_make((struct span){end, len ? len : 1});
	return etcd->prefix64 && etcd->end64 ? 0 : -ENOMEM;
}

/*
 * Makes a path that processes with another working directory can use. Returns 0 with *ret for
 * free(3), NULL for NULL; or -errno.
 */
static int make_absolute(const char *path, char **ret)
{
	CLEANUP(freep) char *directory = NULL;

	*ret = NULL;
	if (!path)
		return 0;
	directory = *path == '/' ? NULL : getcwd(NULL, 0);
	if (*path != '/' && !directory)
		return -errno;
	return path_join(directory ? directory : "", path, ret);
}

/* The status's record of how to reach the store. */
struct etcd_access {
	char *files[4];
	struct mirror_access access[6];
};

static void etcd_access_fini(struct etcd_access *record)
{
	for (size_t i = 0; i < sizeof(record->files) / sizeof(*record->files); i++)
		free(record->files[i]);
}

static int etcd_access_init(struct etcd_access *record, const struct gateway_options *gateway)
{
	static const char *const names[] = {"cacert", "cert", "key", "user_file"};
	const char *const files[] = {gateway->ca, gateway->cert, gateway->key, gateway->user_file};
	int r = 0;

	*record = (struct etcd_access){.access = {{"endpoints", gateway->endpoints}}};
	for (size_t i = 0; r == 0 && i < sizeof(names) / sizeof(*names); i++) {
		r = make_absolute(files[i], &record->files[i]);
		record->access[i + 1] = (struct mirror_access){names[i], record->files[i]};
	}
	return r;
}

int etcd_mirror(const struct etcd_options *options, const struct mirror_options *shared,
	struct problem *problem)
{
	CLEANUP(etcd_access_fini) struct etcd_access record = {0};
	CLEANUP(mirror_freep) struct mirror *mirror = NULL;
	CLEANUP(gateway_freep) struct gateway *gateway = NULL;
	CLEANUP(freep) char *prefix = NULL;
	struct gateway_options access = options->gateway;
	size_t len = strlen(options->prefix);

	if (text_format(&prefix, "%s%s", options->prefix,
		    len && options->prefix[len - 1] != '/' ? "/" : "") < 0)
		return -ENOMEM;
	struct mirror_options own = *shared;
	own.access = record.access;
	/* First: the status, which all users can read, has the endpoints. */
	int r = gateway_check(&access, problem);
	if (r == 0)
		r = etcd_access_init(&record, &options->gateway);
	if (r == 0)
		r = mirror_open(&own, "etcd", prefix, &mirror, problem);
	if (r != 0)
		return r;
	access.wake_fd = mirror->signal_fd;
	srand((unsigned)mirror_jitter(1u << 30));
	r = gateway_new(&access, &gateway, problem);
	if (r != 0)
		return r;
	struct etcd etcd = {.options = options,
		.mirror = mirror,
		.gateway = gateway,
		.revision = strtoull(mirror->status.revision, NULL, 10),
		.wants_read = true,
		.page = PAGE_KEYS};
	r = set_range(&etcd, prefix);
	if (r == 0)
		r = keep(&etcd);
	free(etcd.prefix64);
	free(etcd.end64);
	return r;
}
