#include "layer_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "etcd_client.h"
#include "store.h"
#include "text.h"
#include "tree.h"

/* ms. An edit reaches every mount within a second; the rest is for a busy machine. */
#define WAIT_MAX 5000
#define WAIT_PAUSE 20

struct layer_store {
	const struct layer *layer;
	struct store *store;
	const char *prefix; /* of the keys; lent */
	struct etcd_client *client;
	char *key;  /* of the last read */
	char *name; /* "etcd:KEY" */
	uint64_t old;
};

static bool is_given(const struct store_access *access)
{
	const struct gateway_options *gateway = &access->gateway;

	return gateway->endpoints || access->prefix || gateway->ca || gateway->cert ||
	       gateway->key || gateway->user_file;
}

void layer_store_freep(struct layer_store **place)
{
	struct layer_store *store = *place;

	if (!store)
		return;
	etcd_client_freep(&store->client);
	store_freep(&store->store);
	free(store->key);
	free(store->name);
	free(store);
}

int layer_store_refuse_copy(int directory, const char *path, struct problem *problem)
{
	CLEANUP(store_freep) struct store *store = NULL;

	int r = store_find(directory, &store);
	if (r < 0 || !store)
		return r;
	return problem_set(problem, path, 0, 0,
		"lies in %s, which a mirror writes; change it in the store, or through a layer "
		"that is the mirror's directory",
		store->state);
}

/* Returns whether only users that we trust anyway can have written the mirror's record. */
static bool is_believed(const struct store *store)
{
	return !store->is_shared && (store->owner == geteuid() || store->owner == 0);
}

static bool names_files(const struct store *store)
{
	return *store->ca || *store->cert || *store->key || *store->user_file;
}

static int refuse_owner(
	const struct layer *layer, const struct store *store, struct problem *problem)
{
	if (store->is_shared)
		return problem_set(problem, store->state, 0, 0,
			"says how to reach etcd, and users other than its owner can have written "
			"that; chmod go-w it, or give --endpoints and --prefix");
	return problem_set(problem, layer->path, 0, 0,
		"the mirror of the layer '%s' is run by the user %u, and plyfs does not use files "
		"that this user names with your rights; give --endpoints, --prefix, and the other "
		"options that etcd needs",
		layer->name, (unsigned)store->owner);
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static int take_recorded(const struct layer *layer, const struct store *store,
	struct etcd_client_options *ret, struct problem *problem)
{
	if (!is_believed(store) && (store->is_shared || (geteuid() != 0 && names_files(store))))
		return refuse_owner(layer, store, problem);
	if (!*store->endpoints)
		return problem_set(problem, store->state, 0, 0,
			"does not say how to reach etcd; start the mirror again, or give "
			"--endpoints");
	ret->gateway = (struct gateway_options){.endpoints = store->endpoints,
		.ca = or_null(store->ca),
		.cert = or_null(store->cert),
		.key = or_null(store->key),
		.user_file = or_null(store->user_file)};
	if (geteuid() == 0 && store->owner != 0)
		credentials_init(&ret->as, store->owner, store->group);
	return 0;
}

static int take_given(const struct layer *layer, const struct store *store,
	const struct store_access *access, struct etcd_client_options *ret, struct problem *problem)
{
	if (!access->gateway.endpoints)
		return problem_set(problem, NULL, 0, 0,
			"--prefix, --cacert, --cert, --key and --user-file need --endpoints: the "
			"given options replace everything that the mirror says about etcd");
	if (!access->prefix && !is_believed(store))
		return problem_set(problem, layer->path, 0, 0,
			"the mirror of the layer '%s' is run by the user %u; give --prefix, too, "
			"so that this user does not decide which keys you change",
			layer->name, (unsigned)store->owner);
	ret->gateway = access->gateway;
	return 0;
}

static int open_etcd(
	struct layer_store *store, const struct store_access *access, struct problem *problem)
{
	const struct store *recorded = store->store;
	struct etcd_client_options options = {.cluster = recorded->identity};
	bool has_access = access && is_given(access);

	int r = has_access ? take_given(store->layer, recorded, access, &options, problem)
			   : take_recorded(store->layer, recorded, &options, problem);
	if (r != 0)
		return r;
	store->prefix = has_access && access->prefix ? access->prefix : recorded->prefix;
	return etcd_client_new(&options, &store->client, problem);
}

int layer_store_open(const struct layer *layer, const struct store_access *access,
	struct layer_store **ret, struct problem *problem)
{
	CLEANUP(layer_store_freep) struct layer_store *store = calloc(1, sizeof(*store));

	*ret = NULL;
	if (!store)
		return -ENOMEM;
	store->layer = layer;
	int r = store_find(layer->dirfd, &store->store);
	if (r < 0 || !store->store)
		return r;
	if (store->store->kind == STORE_UNKNOWN)
		return problem_set(problem, layer->path, 0, 0,
			"the layer '%s' is a mirror's directory, and %s/%s does not name its "
			"store; start the mirror again",
			layer->name, store->store->state, STORE_STATUS_NAME);
	if (store->store->kind == STORE_ETCD)
		r = open_etcd(store, access, problem);
	if (r == 0)
		*ret = take_ptr(store);
	return r;
}

static int set_key(struct layer_store *store, const char *path, struct problem *problem)
{
	CLEANUP(freep) char *inner = NULL;
	size_t len = strlen(store->prefix);
	const char *slash = len > 0 && store->prefix[len - 1] != '/' ? "/" : "";

	free(store->key);
	free(store->name);
	store->key = store->name = NULL;
	if (text_format(&inner, "%s%s", store->store->inner, path) < 0)
		return -ENOMEM;
	const char *why = tree_path_refuse(span_of(inner));
	if (why)
		return problem_set(problem, path, 0, 0, "the key %s", why);
	int r = text_format(&store->key, "%s%s%s", store->prefix, slash, inner);
	if (r == 0)
		r = text_format(&store->name, "etcd:%s", store->key);
	/* In the record's JSON, bytes that are not UTF-8 have become U+FFFD. */
	if (r == 0 && strstr(store->prefix, "\xef\xbf\xbd"))
		return problem_set(problem, store->name, 0, 0,
			"the mirror's prefix is no UTF-8, and is not known; give --endpoints and "
			"--prefix");
	return r;
}

/* Refuses an edit in a git repository: it must be a commit. */
static int refuse_git(const struct layer_store *store, const char *path, struct problem *problem)
{
	const struct store *git = store->store;
	CLEANUP(freep) char *name = NULL;
	CLEANUP(freep) char *place = NULL;

	int r = store_name(git, path, &name);
	if (r == 0)
		r = store_place(git, name, git->commit, &place);
	if (r < 0)
		return r;
	return problem_set(problem, place, 0, 0,
		"the layer '%s' is a mirror of a git repository: commit the change there, in '%s' "
		"of %s (%s); then the mirror shows it",
		store->layer->name, name, git->endpoint, git->ref);
}

int layer_store_check(const struct layer_store *store, const char *path, struct problem *problem)
{
	return store->store->kind == STORE_GIT ? refuse_git(store, path, problem) : 0;
}

int layer_store_read(struct layer_store *store, const char *path, struct arena *arena,
	struct span *ret, struct problem *problem)
{
	struct etcd_value value;

	int r = layer_store_check(store, path, problem);
	if (r == 0)
		r = set_key(store, path, problem);
	if (r == 0)
		r = etcd_client_read(store->client, span_of(store->key), arena, &value, problem);
	if (r != 0)
		return r;
	store->old = value.revision;
	*ret = value.text;
	return 0;
}

const char *layer_store_name(const struct layer_store *store)
{
	return store->name;
}

/* Returns why the layer does not show the revision; NULL: it does. */
static const char *wait_for(const struct layer_store *store, uint64_t revision)
{
	for (unsigned waited = 0; waited < WAIT_MAX; waited += WAIT_PAUSE) {
		if (store_revision(store->store) >= revision)
			return NULL;
		if (!store_is_kept(store->store))
			return "no mirror is running";
		nanosleep(&(struct timespec){.tv_nsec = WAIT_PAUSE * 1000000L}, NULL);
	}
	return "the mirror does not have it yet";
}

int layer_store_write(struct layer_store *store, struct span text, uint64_t *revision,
	const char **unseen, struct problem *problem)
{
	int r = etcd_client_swap(
		store->client, span_of(store->key), store->old, text, revision, problem);

	if (r == 0)
		*unseen = wait_for(store, *revision);
	return r == ETCD_CLIENT_LOST ? LAYER_FILE_MOVED : r;
}
