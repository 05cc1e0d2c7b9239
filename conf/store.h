/*
 * A store: what the files of a layer are copies of, when a mirror (fs/mirror) keeps the layer. It
 * is found by where the layer's directory lies, whichever way led there:
 *
 *      STATE/tree.7/          the layer, or a directory above it
 *      STATE/spare/           a tree that was replaced, and that a layer may still be open in
 *      STATE/status.json      what the mirror says of the store (mirror_status.h)
 *
 * All that is said there is the word of whoever runs the mirror, who may be somebody with fewer
 * rights than we have: `owner`.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define STORE_STATUS_NAME "status.json"
#define STORE_LOCK_NAME "lock" /* locked as long as a mirror runs */
#define STORE_TREE_PREFIX "tree."

/* Names of trees that are not the present one: was it, will be it, or is on its way. */
#define STORE_SPARE_NAME "spare"
#define STORE_DRAFT_NAME "draft"
#define STORE_RENEWED_NAME "renewed"

/*
 * The extended attribute that tells a revision: of etcd each file has that of its key, of git the
 * tree has its commit. It is there before the file or tree is, so both belong together.
 */
#define STORE_REVISION_ATTRIBUTE "user.plyfs.revision"

/* Bytes of a revision, with its NUL. */
#define STORE_REVISION_MAX 256

enum store_kind {
	STORE_UNKNOWN, /* it is a mirror's directory, and can't be told of which store */
	STORE_ETCD,
	STORE_GIT,
};

struct arena;

struct store {
	enum store_kind kind;
	char *state; /* STATE, absolute */
	char *tree;  /* "tree.7", or the name of one that is not the present one */
	char *inner; /* where the layer is in the tree: "", or "web/" */

	uid_t owner; /* of STATE and the status */
	gid_t group;
	bool is_shared; /* others than the owner may have written them */

	/* As the status tells it; "": it does not. They lie in `arena`. */
	const char *prefix;   /* etcd: of the keys. git: the path in the repository */
	const char *identity; /* etcd: the cluster */
	const char *endpoint; /* that answered last; git: the URL */
	const char *ref;      /* git: what is mirrored */
	const char *endpoints, *ca, *cert, *key, *user_file; /* etcd: as gateway_options has them */
	const char *commit; /* git: of the tree that the layer is in; "": not known */
	struct arena *arena;
};

/**
 * Finds the store of an open directory. Returns 0 with *ret for store_free(), which is NULL where
 * no mirror keeps it; or -errno.
 */
int store_find(int directory, struct store **ret);
void store_free(struct store *store); /* NULL is fine */
void store_freep(struct store **store);

/** Whether an open directory was removed, or is of a tree that a mirror has replaced by another. */
bool store_is_replaced(int directory);

/** Whether a mirror is running that keeps it up to date. */
bool store_is_kept(const struct store *store);

/** etcd: the revision that the mirror has come to; 0: not known. */
uint64_t store_revision(const struct store *store);

/** The name in the store of the file at `path` in the layer. 0 with *ret for free(3), or -ENOMEM.
 */
int store_name(const struct store *store, const char *path, char **ret);

/** Reads the attribute of an open file or directory: "" where there is none. */
void store_read_attribute(int fd, char ret[STORE_REVISION_MAX]);

/** The revision that an open file of the layer was written at, or its commit; "": not known. */
void store_read_revision(const struct store *store, int fd, char ret[STORE_REVISION_MAX]);

/**
 * Where a file is, as people name it: "etcd:/fleet/app.yaml@4711", the key and the revision that it
 * was written at, or "git:4f2a91c0b1de:config/app.yaml", the commit and the path in it. `revision`
 * may be "". 0 with *ret for free(3), or -ENOMEM.
 */
int store_place(const struct store *store, const char *name, const char *revision, char **ret);
