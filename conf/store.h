/*
 * A store: etcd or a git repository that a mirror (fs/mirror) copies to a layer. store_find() finds
 * the store by the real place of the layer's directory, not by the path that led there:
 *
 *      STATE/tree.7/          the layer, or a directory above it
 *      STATE/spare/           a tree that was replaced; a layer may still have it open
 *      STATE/status.json      the mirror's report on the store (mirror_status.h)
 *
 * The user who runs the mirror, `owner`, writes STATE, and may have fewer rights than this process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define STORE_STATUS_NAME "status.json"
#define STORE_LOCK_NAME "lock" /* locked while a mirror runs */
#define STORE_TREE_PREFIX "tree."

/* Names beside the present tree. */
#define STORE_RECYCLED_NAME "spare"  /* the former tree */
#define STORE_DRAFT_NAME "draft"     /* the next tree, while a mirror makes it */
#define STORE_RENEWED_NAME "renewed" /* a new directory, to replace a tree or a part of it */

/*
 * The extended attribute with a revision. For etcd, each file has the revision of its key; for git,
 * the tree has its commit. The revision always matches the content.
 */
#define STORE_REVISION_ATTRIBUTE "user.plyfs.revision"

/* Size of a revision with its NUL, in bytes. */
#define STORE_REVISION_MAX 256

enum store_kind {
	STORE_UNKNOWN, /* the mirror's status does not say the kind */
	STORE_ETCD,
	STORE_GIT,
};

struct arena;

struct store {
	enum store_kind kind;
	char *state; /* STATE, absolute */
	char *tree;  /* the layer's tree: "tree.7"; if it was replaced, another name */
	char *inner; /* the layer's place in the tree: "", or "web/" */
	int held_fd; /* of store_hold(); -1: none */

	uid_t owner; /* of STATE and the status */
	gid_t group;
	bool is_shared; /* users other than the owner may have written to STATE */

	/* Texts from the status, in `arena`. "": the status does not have the text. */
	const char *prefix;   /* etcd: the keys' prefix; git: the path in the repository */
	const char *identity; /* etcd: the cluster's id */
	const char *endpoint; /* etcd: the endpoint that answered last; git: the URL */
	const char *ref;      /* git: the branch or tag that is mirrored */
	/* etcd: as the members of struct gateway_options (fs/mirror/gateway.h) */
	const char *endpoints, *ca, *cert, *key, *user_file;
	const char *commit; /* git: the commit of the layer's tree; "": not known */
	struct arena *arena;
};

/** Makes an empty store, for store_freep(). Returns NULL if memory is short. */
struct store *store_new(void);

/**
 * Finds the store of an open directory. Returns 0 with *ret for store_freep(), or -errno. *ret is
 * NULL if no mirror writes the directory.
 */
int store_find(int directory, struct store **ret);
void store_freep(struct store **store);

/**
 * Returns whether an open directory was removed, or is in a tree that has lost its name "tree.N":
 * such a tree later loses its files. Also returns true if memory or descriptors are short.
 */
bool store_is_replaced(int directory);

/**
 * Asks the mirror, by a shared flock(2), to keep the layer's tree until store_freep(). Call
 * store_is_replaced() next: the mirror may have given up the tree before the flock(2). A mirror
 * keeps only a limited number of older trees (fs/mirror/replica.h).
 */
void store_hold(struct store *store);

/** Returns whether a running mirror keeps the layer up to date; true if that is unknown. */
bool store_is_kept(const struct store *store);

/** etcd: returns the last revision that the mirror has copied; 0: not known. */
uint64_t store_revision(const struct store *store);

/**
 * Sets *ret, for free(3), to the name that the layer's file `path` has in the store. Returns 0 or
 * -ENOMEM.
 */
int store_name(const struct store *store, const char *path, char **ret);

/** Reads STORE_REVISION_ATTRIBUTE of an open file or directory; "": it is missing or invalid. */
void store_read_attribute(int fd, char ret[STORE_REVISION_MAX]);

/** Reads the revision (etcd) or the commit (git) of an open file of the layer; "": not known. */
void store_read_revision(const struct store *store, int fd, char ret[STORE_REVISION_MAX]);

/**
 * Makes the place of the file `name` (store_name()), for messages: "etcd:/fleet/app.yaml@4711" (key
 * and revision), or "git:4f2a91c0b1de:config/app.yaml" (commit and path). `revision` may be "".
 * Returns 0 with *ret for free(3), or -ENOMEM.
 */
int store_place(const struct store *store, const char *name, const char *revision, char **ret);
