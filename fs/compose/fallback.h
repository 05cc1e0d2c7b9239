/*
 * Fallbacks: if a source is broken, its last good state takes its place in the merge, so that
 * changes of all other sources still show.
 *
 * Contract: the last good state of a source is its state in the shown version: the fallback with
 * which that version was made, or the state with the stamp that the version has. The cache keeps
 * such a state until no version has its stamp, or memory is short (source_cache_hold()). So it does
 * not matter which file is merged first, nor how often the source has changed since.
 *
 * A version made with a fallback is only for users who may read the shown version
 * (version_restrict(), directory_restrict()).
 */
#pragma once

#include "source_cache.h"
#include "version.h"

/* A source of a composition. */
struct fallback {
	const struct layer *layer;
	struct read_options options;
	struct loaded *loaded; /* one reference */
	bool is_used;          /* `loaded` is the last good state, as the source is broken */
};

/* The members after `cache` are zero at first. */
struct fallbacks {
	/* In a worker: asks the daemon. Returns one reference; NULL: there is no fallback. */
	struct loaded *(*ask)(
		const struct layer *layer, const char *path, const struct read_options *options);
	/* If `ask` is NULL: the version, which must outlive this struct, and the cache. */
	const struct version *shown;
	struct source_cache *cache;

	struct fallback *items;
	size_t count;
	size_t capacity;
};

/** Forgets the composition. Call it before the next one, as a source may have been repaired. */
void fallbacks_clear(struct fallbacks *fallbacks);

/** Notes a source that was loaded. If memory is short, fallbacks_blame() does not find it. */
void fallbacks_note(struct fallbacks *fallbacks, const struct layer *layer,
	const struct read_options *options, struct loaded *loaded);

/** Returns the fallback that the composition uses for the source; NULL: it uses none. */
struct loaded *fallbacks_used(const struct fallbacks *fallbacks, const struct layer *layer,
	const char *path, const struct read_options *options);

/**
 * Uses the fallback for a broken source from now on. Returns the fallback, parsed by `options`
 * (NULL: its text), which is valid until fallbacks_clear(); NULL: there is none.
 */
struct loaded *fallbacks_use(struct fallbacks *fallbacks, const struct layer *layer,
	const char *path, const struct read_options *options);

/**
 * After a failed merge, does fallbacks_use() for the source that `problem` names. Returns whether
 * the merge can be tried again.
 */
bool fallbacks_blame(struct fallbacks *fallbacks, const struct problem *problem);

/** Gives `version` references to the fallbacks that the composition uses. Returns 0 or -ENOMEM. */
int fallbacks_give(const struct fallbacks *fallbacks, struct version *version);
