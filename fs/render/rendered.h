/*
 * A rendered directory: ordinary files that stand for what a mount would show. A file is made
 * beside (in .plyfs/stage) and renamed to its place when all of it is there; one that is as it
 * should be is not touched. Only what the manifest says is ours is ever replaced or removed.
 *
 * An atomic one shows generations, each a directory of its own (generation.h): what is put is then
 * seen at the next rendered_commit(), all at once.
 *
 * All is done beneath the directory, whatever somebody puts there meanwhile: no link is followed.
 */
#pragma once

#include "manifest.h"
#include "problem.h"
#include "sandbox.h"
#include "version.h"

struct rendered;

/* What comes of a name. */
enum outcome {
	OUTCOME_WRITTEN,
	OUTCOME_CHANGED, /* bytes, rights or kind of what was there */
	OUTCOME_UNCHANGED,
	OUTCOME_REMOVED,
	OUTCOME_BROKEN, /* it does not merge */
	OUTCOME_FAILED,
};

struct rendered_options {
	const char *directory; /* one that is not ours must be empty */
	bool is_made;          /* … by us, just now, and nobody else can look into it */
	const char *source;    /* what it is made of, as the user gave it, to be told */
	bool adopts;           /* files that have the right bytes already become ours */
	bool keeps_drift;      /* what somebody has changed stays so */
	bool is_atomic;
	bool is_dry;     /* nothing is changed: what would be is told; the directory need not be there */
	bool is_watched; /* drift is noticed while it happens */
	struct supervisor
		*supervisor; /* of the mirrors of layers; NULL: no plyfs.yaml may name some */
	struct sandbox_switches switches;
	void (*log)(void *context, const char *line);
	/* What comes of each file and link; NULL: nobody asks. `why` is told of what failed. */
	void (*tell)(void *context, enum outcome outcome, const char *path, const char *why);
	void *context;
};

/* Positive results beside PROBLEM. */
#define RENDERED_KEPT 2   /* somebody has changed what is there, and it was left */
#define RENDERED_BROKEN 3 /* the version is a broken one; what is there, if anything, stays */

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
 * Shows the version at the name. Of a broken one the rights count alone: who may not read the
 * sources as they are now reads what was good no more.
 */
int rendered_put(struct rendered *rendered, struct owned *owned, const struct version *version,
	struct problem *problem);

/** Gives the file of one source that is shown the source's time; no other file. 0 or -errno. */
int rendered_take_time(
	const struct rendered *rendered, const struct owned *owned, const struct version *version);

/** Makes the directory, or gives it these attributes. */
int rendered_put_directory(struct rendered *rendered, struct owned *owned, const struct stat *stat,
	struct problem *problem);

/**
 * The rights that the whole tree has: those of a directory that was made for it; of another one it
 * is told if it lets in who may not look into the layers. 0 or -errno.
 */
int rendered_open_to(struct rendered *rendered, const struct stat *root);

/** Removes what is ours there; a directory with all that is ours in it. It is forgotten then. */
int rendered_remove(struct rendered *rendered, struct owned *owned, struct problem *problem);

/** What was put and removed is all of it, for now. 0, PROBLEM or -errno: the old tree stays. */
int rendered_commit(struct rendered *rendered, struct problem *problem);

/** Whether something else stands at the name than what was put there; it is reported. */
bool rendered_has_drifted(struct rendered *rendered, struct owned *owned);

/** The directory that shows `path`, O_PATH: to be watched. A descriptor or -errno. */
int rendered_open_directory(const struct rendered *rendered, const char *path);

/** Whether rendered_commit() will show another generation. */
bool rendered_is_to_switch(const struct rendered *rendered);

/** --atomic: something has happened to what stands beside the generation: to be looked at. */
void rendered_doubt_links(struct rendered *rendered);
int rendered_open_place(const struct rendered *rendered);

/** Replaces a file of ours in .plyfs. 0 or -errno. */
int rendered_write_own(struct rendered *rendered, const char *name, const char *text, size_t len);
