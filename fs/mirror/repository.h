/*
 * The bare repository that a mirror of git fetches into, and the way git is run on it: with an
 * environment and a configuration of our own alone. No hook, filter, prompt or pager, and no
 * protocol but the one that the URL has.
 */
#pragma once

#include "subprocess.h"
#include "problem.h"

/* Bytes of the name of a commit or blob, with its NUL: SHA-256's. */
#define REPOSITORY_ID_MAX 65

struct repository;

/**
 * Makes it in the directory `state`, if it is not there; what a git that was killed has left locked
 * is unlocked. `verify` may be NULL. Returns 0, PROBLEM or -errno.
 */
int repository_open(const char *state, const char *url, const char *verify, struct repository **ret,
	struct problem *problem);

/**
 * The one in the directory `state`, of another process, to be read in the guise of its owner: what
 * its configuration says is his word. `guise` is borrowed. 0 or -ENOMEM.
 */
int repository_borrow(const char *state, const struct guise *guise, struct repository **ret);
void repository_freep(struct repository **repository);

/** Fetches `ref`; *id is its commit. 0, PROBLEM or -errno. */
int repository_fetch(struct repository *repository, const char *ref, char id[REPOSITORY_ID_MAX],
	struct problem *problem);

/** Whether the commit is signed by the one key. 0, PROBLEM (it is not) or -errno. */
int repository_verify(struct repository *repository, const char *id, struct problem *problem);

enum repository_descent {
	DESCENT_NEWER,   /* it comes after the other one */
	DESCENT_OTHER,   /* it does not, but they have something in common */
	DESCENT_NONE,    /* they have nothing in common */
	DESCENT_UNKNOWN, /* the old one is not there any more */
};

/** How `id` comes from `old`. 0, PROBLEM or -errno. */
int repository_descent(struct repository *repository, const char *old, const char *id,
	enum repository_descent *ret, struct problem *problem);

/** Keeps the commit, so that it is there when the next one is compared with it. */
int repository_keep(struct repository *repository, const char *id, struct problem *problem);

/**
 * Runs "git ls-tree", of the directory `path` ("": all) of the commit: subprocess_read_until('\0') gives
 * "MODE TYPE ID SIZE\tPATH". Or "git cat-file --batch", with names of blobs as `input`. As
 * subprocess_start().
 */
int repository_list(
	struct repository *repository, const char *id, const char *path, struct subprocess *ret);
int repository_read(struct repository *repository, int input, struct subprocess *ret);

/** Runs "git blame --incremental" of the file `path` in the commit. As subprocess_start(). */
int repository_blame(
	struct repository *repository, const char *id, const char *path, struct subprocess *ret);
