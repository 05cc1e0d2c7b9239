/*
 * The bare repository into which a mirror of git fetches. git runs in an environment that we make,
 * without the configuration of the user or the system. No hook, filter, prompt or pager runs, and
 * only the protocol of the URL is allowed.
 */
#pragma once

#include "problem.h"
#include "subprocess.h"

/* Size of the name of a commit or blob, in bytes: 64 digits of SHA-256, and NUL. */
#define REPOSITORY_ID_MAX 65

struct repository;

/**
 * Opens or makes the repository in the directory `state`. Removes locks that a killed git has left.
 * `verify` is the file with the key (git_options.verify), or NULL. `mode` is the mode of mirrored
 * files: users who can't read them can't read the repository. Returns 0 with *ret for
 * repository_freep(), PROBLEM or -errno.
 */
int repository_open(const char *state, const char *url, const char *verify, mode_t mode,
	struct repository **ret, struct problem *problem);

/**
 * Opens the repository that another process keeps in the directory `state`. git runs with `as`, the
 * credentials of that directory's owner, as the repository may be hostile. Borrows `as`. Returns 0
 * with *ret for repository_freep(), or -ENOMEM.
 */
int repository_borrow(const char *state, const struct credentials *as, struct repository **ret);
void repository_freep(struct repository **repository);

/** Fetches `ref`. Returns 0 with the name of its commit in `id`, PROBLEM or -errno. */
int repository_fetch(struct repository *repository, const char *ref, char id[REPOSITORY_ID_MAX],
	struct problem *problem);

/**
 * Checks that the key of repository_open(), whose file is read anew, has signed the commit. Returns
 * 0, PROBLEM or -errno.
 */
int repository_verify(struct repository *repository, const char *id, struct problem *problem);

enum repository_descent {
	DESCENT_NEWER,   /* the new commit descends from the old one */
	DESCENT_OTHER,   /* the new one does not, but they have a common ancestor */
	DESCENT_NONE,    /* they have no common ancestor */
	DESCENT_UNKNOWN, /* the old commit no longer exists */
};

/** Finds out how the commit `id` descends from `old`. Returns 0, PROBLEM or -errno. */
int repository_descent(struct repository *repository, const char *old, const char *id,
	enum repository_descent *ret, struct problem *problem);

/** Makes git keep the commit, and tidy up (git-gc(1)). Returns 0, PROBLEM or -errno. */
int repository_keep(struct repository *repository, const char *id, struct problem *problem);

/**
 * Runs "git ls-tree" on the directory `path` ("": all) of the commit `id`. The output has for each
 * file "MODE TYPE ID SIZE\tPATH" and a NUL. Returns as subprocess_start().
 */
int repository_list(
	struct repository *repository, const char *id, const char *path, struct subprocess *ret);

/** Runs "git cat-file --batch" on the names of blobs in `input`. Returns as repository_list(). */
int repository_read(struct repository *repository, int input, struct subprocess *ret);

/** Runs "git blame --incremental" on `path` in the commit `id`. Returns as repository_list(). */
int repository_blame(
	struct repository *repository, const char *id, const char *path, struct subprocess *ret);
