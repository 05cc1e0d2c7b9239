/*
 * The bare repository into which a mirror of git fetches, and the calls that run git on it. git
 * gets an environment that we make, and no configuration but ours. No hook, filter, prompt or pager
 * runs, and only the protocol of the URL is allowed.
 */
#pragma once

#include "problem.h"
#include "subprocess.h"

/* Size of a commit's or blob's name, in bytes, with its NUL: SHA-256's. */
#define REPOSITORY_ID_MAX 65

struct repository;

/**
 * Opens the repository in the directory `state`, and makes it if it is missing. Removes locks that
 * a killed git has left. `verify` is the file with the key (git.h), or NULL. Returns 0 with *ret
 * for repository_freep(), PROBLEM or -errno.
 */
int repository_open(const char *state, const char *url, const char *verify, struct repository **ret,
	struct problem *problem);

/**
 * Opens the repository in another process's directory `state`. Its configuration may be hostile, so
 * git runs with `as`, the owner's credentials, which are borrowed. Returns 0 or -ENOMEM.
 */
int repository_borrow(const char *state, const struct credentials *as, struct repository **ret);
void repository_freep(struct repository **repository);

/** Fetches `ref`; *id becomes its commit. Returns 0, PROBLEM or -errno. */
int repository_fetch(struct repository *repository, const char *ref, char id[REPOSITORY_ID_MAX],
	struct problem *problem);

/** Checks that the key has signed the commit. Returns 0; PROBLEM: it has not; or -errno. */
int repository_verify(struct repository *repository, const char *id, struct problem *problem);

enum repository_descent {
	DESCENT_NEWER,   /* the new commit descends from the old one */
	DESCENT_OTHER,   /* it does not, but both have a common ancestor */
	DESCENT_NONE,    /* they have no common ancestor */
	DESCENT_UNKNOWN, /* the old commit no longer exists */
};

/** Finds out whether `id` descends from `old`. Returns 0, PROBLEM or -errno. */
int repository_descent(struct repository *repository, const char *old, const char *id,
	enum repository_descent *ret, struct problem *problem);

/** Keeps the commit, to compare the next one with it. Returns 0; or PROBLEM or -errno. */
int repository_keep(struct repository *repository, const char *id, struct problem *problem);

/**
 * Runs "git ls-tree" on the directory `path` ("": all) of the commit. Its lines are "MODE TYPE ID
 * SIZE\tPATH", and end with NUL. Returns as subprocess_start().
 */
int repository_list(
	struct repository *repository, const char *id, const char *path, struct subprocess *ret);

/**
 * Runs "git cat-file --batch", which reads names of blobs from `input`. Returns as
 * subprocess_start().
 */
int repository_read(struct repository *repository, int input, struct subprocess *ret);

/** Runs "git blame --incremental" on the commit's file `path`. Returns as subprocess_start(). */
int repository_blame(
	struct repository *repository, const char *id, const char *path, struct subprocess *ret);
