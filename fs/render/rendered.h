/*
 * A rendered directory: ordinary files that stand for what a mount would show. A file is made
 * beside (in .plyfs/stage) and renamed to its place when all of it is there; one that is as it
 * should be is not touched. Only what the manifest says is ours is ever replaced or removed.
 *
 * All is done beneath the directory, whatever somebody puts there meanwhile: no link is followed.
 */
#pragma once

#include "manifest.h"
#include "problem.h"
#include "version.h"

struct rendered;

struct rendered_options {
	const char *directory; /* made if it is not there; one that is not ours must be empty */
	bool adopts;           /* files that have the right bytes already become ours */
	void (*log)(void *context, const char *line);
	void *context;
};

/**
 * Opens the directory, for one renderer at a time. Returns 0 with *ret for rendered_free(); PROBLEM
 * for one that is not empty and not ours, or that somebody else renders; or -errno.
 */
int rendered_open(
	const struct rendered_options *options, struct rendered **ret, struct problem *problem);
void rendered_free(struct rendered *rendered); /* NULL is fine */

/** What is ours, for who keeps the view's inode numbers there. */
struct manifest *rendered_manifest(struct rendered *rendered);

/**
 * Shows the version at `path`. One that was never good is not shown. 0 with *ret (may be NULL) what
 * the manifest has of it, PROBLEM or -errno.
 */
int rendered_put(struct rendered *rendered, const char *path, const struct version *version,
	struct owned **ret, struct problem *problem);

/** Makes the directory, or gives it these attributes. As rendered_put(). */
int rendered_put_directory(struct rendered *rendered, const char *path, const struct stat *stat,
	struct owned **ret, struct problem *problem);

/** Removes what is ours there; a directory with all that is ours in it. 0, PROBLEM or -errno. */
int rendered_remove(struct rendered *rendered, const char *path, struct problem *problem);
