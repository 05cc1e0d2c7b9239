/*
 * Composing: from what the layers show at a path to a version of it. The one place where sources,
 * rule and merge core meet. Holds no lock but the source cache's, so any number of threads may
 * compose at once.
 */
#pragma once

#include "finder.h"
#include "rights.h"
#include "settings.h"
#include "source_cache.h"
#include "stand_in.h"
#include "union.h"
#include "version.h"

/* A file from one layer that is larger than this is not copied but read through a descriptor. */
#define COMPOSE_HELD_BYTES (4u << 20)

/* Looks at a path that changes while it is looked at; after so many it counts as broken. */
#define COMPOSE_TRIES 1000
#define COMPOSE_PAUSE_NS 1000000

/* What a composition asked for besides its own sources: pairs of directory and name. */
struct dependencies {
	char **items; /* directory, name, directory, name … */
	size_t count; /* of strings */
};

struct composer {
	struct settings *settings;
	struct source_cache *cache;
	struct mounter mounter;
	bool *has_doubt; /* set when a source may have been written while it was read; NULL: nobody
			    asks */
	const atomic_bool *is_cancelled; /* compose() is to end with -ECANCELED; NULL: never */
	bool takes_unfinished;           /* sources that somebody writes are taken as they are */
	struct stand_ins *stand_ins;     /* for sources that are broken; NULL: none */
	bool copies_held; /* a large file of one layer becomes VERSION_BYTES, not VERSION_HELD */

	const struct finder *finder;

	/* What merges, but may be meant otherwise; NULL: nobody asks. */
	void (*warn)(void *context, const struct problem *warning);
	void *warn_context;
};

/* Positive results, besides PROBLEM. */
enum {
	COMPOSE_MOVED = SOURCE_MOVED,         /* look at the layers again */
	COMPOSE_UNSETTLED = SOURCE_UNSETTLED, /* a source is being written just now */
};

/** The strategy and options that a path is merged by: a virtual file's own, or its rule's. */
const struct options *compose_options(const struct settings *settings, const char *path);

/**
 * Which of the contributors the strategy looks at: [*first, *first + *count) of what was found,
 * which has the highest layer first.
 */
void compose_contributors(const struct strategy *strategy, const struct union_lookup *lookup,
	unsigned *first, unsigned *count);

/**
 * Loads the source that was found at `path`: its document, or without `options` its text. Returns
 * as source_cache_load(); PROBLEM also for one that could not be looked at.
 */
int compose_load(const struct composer *composer, const char *path, const struct contributor *found,
	const struct read_options *options, struct loaded **ret, struct problem *problem);

/** The source of a file that is one layer's and too large to copy; else NULL. */
const struct contributor *compose_held_source(
	const struct composer *composer, const char *path, const struct union_lookup *lookup);

void dependencies_fini(struct dependencies *asked);

/**
 * Makes the version of `path` that `lookup` (a file or a link) leads to. Its mtime
 * is the newest contributor's.
 *
 * `asked`, which must be empty before, is filled whatever the result is.
 *
 * Returns 0 with *ret for version_unref(); PROBLEM when it can't be made; COMPOSE_MOVED;
 * COMPOSE_UNSETTLED; or -errno. With `on_error: skip-layer`, or stand-ins, it may return 0 and
 * have filled `problem` with why a layer was left out, or is stood in for; and with a lock, with
 * what it refused: `problem->message`, which must be empty before, is else untouched.
 */
int compose(const struct composer *composer, const char *path, const struct union_lookup *lookup,
	struct dependencies *asked, struct version **ret, struct problem *problem);

/** The problem of a path for which compose() returns -`error`, or of which a source never rests. */
int compose_failed(const char *path, int error, struct problem *problem);
int compose_is_restless(const char *path, struct problem *problem);

/** A version that says EIO to readers, with the rights that `lookup` gives. 0 or -ENOMEM. */
int compose_broken(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct version **ret);

/**
 * Whether `version` is what compose() would make, as far as the stamps of its sources tell; a
 * source that was changed just now may have been changed again within the same stamp. Wants the
 * view's lock, which guards the stamps of a version that is shown; looks at nothing.
 */
bool compose_is_current(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, const struct version *version);
