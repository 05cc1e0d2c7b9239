/*
 * A rendered directory: ordinary files with the contents that a mount would show. A file is written
 * in .plyfs/stage, and renamed to its place when it is complete. A file that is right already is
 * not touched. Only names in the manifest are replaced or removed. Exception: after a reboot, plyfs
 * replaces an empty file of its own user, as a power failure may have emptied it.
 *
 * With --atomic each state of the tree is a generation (generation.h): the next rendered_commit()
 * makes all changes visible together.
 *
 * plyfs follows no link in the directory.
 */
#pragma once

#include "manifest.h"
#include "problem.h"
#include "sandbox.h"
#include "version.h"

struct rendered;

/* The outcome of writing or removing a name. */
enum outcome {
	OUTCOME_WRITTEN,
	OUTCOME_CHANGED, /* its bytes, rights or kind */
	OUTCOME_UNCHANGED,
	OUTCOME_REMOVED,
	OUTCOME_BROKEN, /* its sources do not merge */
	OUTCOME_FAILED,
};

enum rendered_mode {
	RENDER_ONCE,
	RENDER_WATCH, /* goes on, and detects drift at once, by inotify(7) */
	RENDER_DRY,   /* only reports what would change; the directory need not exist */
};

struct rendered_options {
	const char *directory; /* must be empty, unless plyfs has rendered it */
	bool is_made;          /* the caller has just made the directory, closed to other users */
	const char *source;    /* the plyfs.yaml or "A:B:C", as given; for render_status.c */
	bool adopts;           /* takes over other programs' files that have the right bytes */
	bool keeps_drift;      /* does not undo changes of other programs */
	bool is_atomic;
	enum rendered_mode mode;
	struct supervisor *supervisor; /* runs the layers' mirrors; NULL: there are none */
	struct sandbox_switches switches;
	/* Logs a line, as view_callbacks.log does. */
	void (*log)(void *context, const char *line, const struct problem *problem);
	/* Gets the outcome of each file and link; may be NULL. `why`: the reason of a failure. */
	void (*report)(void *context, enum outcome outcome, const char *path, const char *why);
	void *context;
};

/* Positive results besides PROBLEM. */
#define RENDERED_KEPT 2   /* another program has changed the object, and the change stays */
#define RENDERED_BROKEN 3 /* the version is broken */

/**
 * Opens the directory. Returns 0 with *ret for rendered_free(), and *manifest, which lives as long
 * as *ret; PROBLEM if the directory can't be rendered with these options, or another process
 * renders it now; or -errno.
 */
int rendered_open(const struct rendered_options *options, struct rendered **ret,
	struct manifest **manifest, struct problem *problem);
void rendered_free(struct rendered *rendered); /* NULL: does nothing */

/**
 * Writes the version at the name of `owned` (manifest.h). If the version is broken, the old file
 * stays, but users that may not read the version can no longer read the file. Returns 0, PROBLEM,
 * RENDERED_KEPT, RENDERED_BROKEN or -errno.
 */
int rendered_put(struct rendered *rendered, struct owned *owned, const struct version *version,
	struct problem *problem);

/** Returns how many names were made in .plyfs/stage. A generation's files are made elsewhere. */
uint64_t rendered_staged(const struct rendered *rendered);

/** If the version has one source, gives the shown file that source's time. Returns 0 or -errno. */
int rendered_take_time(
	const struct rendered *rendered, const struct owned *owned, const struct version *version);

/**
 * Makes the directory if it is missing, and gives it the attributes in `stat`. Returns 0, PROBLEM,
 * RENDERED_KEPT or -errno.
 */
int rendered_put_directory(struct rendered *rendered, struct owned *owned, const struct stat *stat,
	struct problem *problem);

/** Removes from `stat` the rights that the shown directory lacks. Returns whether it lacks any. */
bool rendered_keep_closed(const struct owned *owned, struct stat *stat);

/**
 * If options.is_made, gives the rendered directory the mode and group of `root`, the merged root,
 * and gives the rendered directory's owner all rights. Otherwise logs a warning if the rendered
 * directory admits users that may not read the merged root. Returns 0 or -errno.
 */
int rendered_open_to(struct rendered *rendered, const struct stat *root);

/**
 * Removes the name if it is ours; for a directory, first removes all names in it that are ours.
 * Frees the manifest's entries of removed names. Returns 0, PROBLEM, RENDERED_KEPT or -errno.
 */
int rendered_remove(struct rendered *rendered, struct owned *owned, struct problem *problem);

/**
 * Completes the changes so far. Sets *has_switched to whether this call has switched to another
 * generation. Returns 0; PROBLEM or -errno: call it again later.
 */
int rendered_commit(struct rendered *rendered, bool *has_switched, struct problem *problem);

/**
 * Returns whether another program has changed the object at `owned`. If options.keeps_drift is
 * set, logs the change.
 */
bool rendered_has_drifted(struct rendered *rendered, struct owned *owned);

/** Opens with O_PATH the directory `path` of the shown tree. Returns a descriptor or -errno. */
int rendered_open_directory(const struct rendered *rendered, const char *path);

/** Returns whether rendered_commit() will show another generation. */
bool rendered_is_to_switch(const struct rendered *rendered);

/**
 * With --atomic: makes the next rendered_commit() examine the names beside the generations
 * (generation.h).
 */
void rendered_doubt_links(struct rendered *rendered);

/** Opens the rendered directory itself, with O_PATH. Returns a descriptor or -errno. */
int rendered_open_place(const struct rendered *rendered);

/** Returns whether the rendered directory was removed, or .plyfs in it. */
bool rendered_is_removed(const struct rendered *rendered);

/** Makes or replaces the file `name` in .plyfs. Returns 0 or -errno. */
int rendered_write_own(struct rendered *rendered, const char *name, const char *text, size_t len);
