/*
 * Composing: makes the version of a path from the result of its union lookup. The only place where
 * sources, rule and merge core meet. Holds no lock but the source cache's, so any number of threads
 * may compose at once.
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

/* Attempts at a path that changes during each of them; after so many it counts as broken. */
#define COMPOSE_TRIES 1000
#define COMPOSE_PAUSE_NS 1000000

/* The names that a composition used besides its own sources: pairs of directory and name. */
struct dependencies {
	char **items; /* directory, name, directory, name … */
	size_t count; /* of strings */
};

struct composer {
	struct settings *settings;
	struct source_cache *cache;
	struct mounter mounter;
	bool *has_doubt; /* set if a source may have been written while it was read; may be NULL */
	const atomic_bool *is_cancelled; /* makes compose() end with -ECANCELED; may be NULL */
	bool takes_unfinished;           /* sources that are being written are taken as they are */
	struct stand_ins *stand_ins;     /* for sources that are broken; NULL: none */
	bool copies_held; /* a large file of one layer becomes VERSION_BYTES, not VERSION_HELD */

	const struct finder *finder;

	/* Gets warnings: values that merge, but may be meant otherwise. May be NULL. */
	void (*warn)(void *context, const struct problem *warning);
	void *warn_context;
};

/* Positive results, besides PROBLEM. */
enum {
	COMPOSE_MOVED = SOURCE_MOVED,         /* repeat the union lookup */
	COMPOSE_UNSETTLED = SOURCE_UNSETTLED, /* a source is being written */
};

/** Returns the strategy and options of a path: a virtual file's own, or its rule's. */
const struct options *compose_options(const struct settings *settings, const char *path);

/**
 * Gives the range of contributors that the strategy reads: [*first, *first + *count) of the
 * lookup's, which have the highest layer first.
 */
void compose_contributors(const struct strategy *strategy, const struct union_lookup *lookup,
	unsigned *first, unsigned *count);

/**
 * Loads the source that was found at `path`: its document, or without `options` its text. Returns
 * as source_cache_load(); PROBLEM also if the source could not be examined.
 */
int compose_load(const struct composer *composer, const char *path, const struct contributor *found,
	const struct read_options *options, struct loaded **ret, struct problem *problem);

/** Returns the source of a file of one layer that is too large to copy; else NULL. */
const struct contributor *compose_held_source(
	const struct composer *composer, const char *path, const struct union_lookup *lookup);

void dependencies_fini(struct dependencies *asked);

/**
 * Makes the version of `path` from `lookup`, a file or a link. Its mtime is the newest
 * contributor's.
 *
 * `asked` must be empty, and is filled whatever the result is. `problem->message` must be empty.
 *
 * Returns 0 with *ret for version_unref(); PROBLEM: it can't be made; COMPOSE_MOVED;
 * COMPOSE_UNSETTLED; or -errno. In three cases it returns 0 and fills `problem` with the reason: a
 * layer was left out (`on_error: skip-layer`), a stand-in was used, or a lock refused a value.
 */
int compose(const struct composer *composer, const char *path, const struct union_lookup *lookup,
	struct dependencies *asked, struct version **ret, struct problem *problem);

/**
 * Make the problem of a path for which compose() returned -`error`, or whose source is always being
 * written.
 */
int compose_failed(const char *path, int error, struct problem *problem);
int compose_is_restless(const char *path, struct problem *problem);

/** Makes a version that gives EIO to readers, with the rights of `lookup`. Returns 0 or -ENOMEM. */
int compose_broken(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct version **ret);

/**
 * Returns whether `version` is what compose() would make, by the stamps of its sources; a source
 * may have changed twice within one stamp. Wants the view's lock, which guards the stamps of a
 * version that is shown. Makes no system call.
 */
bool compose_is_current(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, const struct version *version);
