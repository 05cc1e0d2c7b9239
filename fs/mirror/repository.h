/*
 * The bare repository into which a mirror of git fetches, and the calls that run git on it. git
 * gets an environment that we make, and no configuration but ours. No hook, filter, prompt or pager
 * runs, and only the protocol of the URL is allowed.
 */
#pragma once

#include "problem.h"
#include "subprocess.h"

/* Size of the name of a commit or blob, in bytes: 64 digits of SHA-256, and NUL. */
#define REPOSITORY_ID_MAX 65

struct repository;

/**
 * Opens the repository in the directory `state`, and makes it if it is missing. Removes locks that
 * a killed git has left. `verify` is the file with the key (git_options.verify), or NULL. `mode` is
 * that of the mirrored files: users who can't read these can't read the repository. Returns 0 with
 * *ret for repository_freep(), PROBLEM or -errno.
 */
int repository_open(const char *state, const char *url, const char *verify, mode_t mode,
	struct repository **ret, struct problem *problem);

/**
 * Opens the repository of another process, in that process's directory `state`. The repository's
 * configuration may be hostile, so git runs with `as`, the credentials of the directory's owner.
 * `as` is borrowed. Returns 0 with *ret for repository_freep(), or -ENOMEM.
 */
int repository_borrow(const char *state, const struct credentials *as, struct repository **ret);
void repository_freep(struct repository **repository);

/** Fetches `ref`. Returns 0 with the name of its commit in `id`, PROBLEM or -errno. */
int repository_fetch(struct repository *repository, const char *ref, char id[REPOSITORY_ID_MAX],
	struct problem *problem);

/**
 * Checks that the key given to repository_open() has signed the commit. Returns 0; PROBLEM if not;
 * or -errno.
 */
int repository_verify(struct repository *repository, const char *id, struct problem *problem);

enum repository_descent {
	DESCENT_NEWER,   /* the new commit descends from the old one */
	DESCENT_OTHER,   /* the new one does not, but they have a common ancestor */
	DESCENT_NONE,    /* they have no common ancestor */
	DESCENT_UNKNOWN, /* the old commit no longer exists */
};

/** Finds out whether `id` descends from `old`. Returns 0, PROBLEM or -errno. */
int repository_descent(struct repository *repository, const char *old, const char *id,
	enum repository_descent *ret, struct problem *problem);

/**
 * Keeps the commit in the repository, to compare the next one with it, and lets git remove what is
 * not needed any more. Returns 0, PROBLEM or -errno.
 */
int repository_keep(struct repository *repository, const char *id, struct problem *problem);

/**
 * Runs "git ls-tree" on the directory `path` ("": all) of the commit `id`. Its output has an entry
 * "MODE TYPE ID SIZE\tPATH" for each file; each entry ends with NUL. Returns as subprocess_start().
 */
int repository_list(
	struct repository *repository, const char *id, const char *path, struct subprocess *ret);

/**
 * Runs "git cat-file --batch", which reads names of blobs from `input`. Returns as
 * subprocess_start().
 */
int repository_read(struct repository *repository, int input, struct subprocess *ret);

/**
 * Runs "git blame --incremental" on the file `path` in the commit `id`. Returns as
 * subprocess_start().
 */
int repository_blame(
	struct repository *repository, const char *id, const char *path, struct subprocess *ret);
