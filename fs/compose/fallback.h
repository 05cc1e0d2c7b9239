/*
 * Fallbacks: if a source is broken, its last good state takes its place in the merge, so that
 * changes of all other sources still show.
 *
 * A fallback is a source's state in the shown version. So a version made with a fallback is only
 * for users who may read the shown version (version_restrict(), directory_restrict()).
 */
#pragma once

#include "source_cache.h"
#include "version.h"

struct fallback {
	struct loaded *loaded; /* one reference; NULL: see fallback_fetch() */
	bool is_used;

	/* If the source cache does not have it. */
	bool is_asked;
	const struct layer *layer;
	char *path;
	struct read_options options;
};

/* Where a worker finds fallbacks. Both return one reference, parsed by `options`; NULL: none. */
struct fallback_origin {
	/* Looks into the worker's source cache, before the source is read anew. */
	struct loaded *(*find)(void *context, const struct layer *layer, const char *path,
		const struct read_options *options);
	/* Asks the daemon, when the source is known to be broken. */
	struct loaded *(*ask)(
		const struct layer *layer, const char *path, const struct read_options *options);
	void *context;
};

struct fallbacks {
	const struct fallback_origin *origin; /* NULL: fallbacks come from the source cache */
	struct stamp *stamps;                 /* of the sources of the shown version */
	size_t stamp_count;
	struct fallback *items;
	size_t count;
	size_t capacity;
};

/**
 * Copies the fallbacks of `shown` (NULL: no version is shown) and the stamps of its sources.
 * Returns 0 or -ENOMEM; call fallbacks_fini() in both cases.
 */
int fallbacks_init(struct fallbacks *fallbacks, const struct version *shown);
void fallbacks_fini(struct fallbacks *fallbacks);

/** Returns whether `loaded` is a source of the shown version, in the same state. */
bool fallbacks_match(const struct fallbacks *fallbacks, const struct loaded *loaded);

/**
 * Keeps the shown version's state of a source for another try, before `newer` takes its place in
 * the cache: a source that can be read may still be one that can't be merged. If memory is short,
 * the source has no fallback then.
 */
void fallbacks_keep(struct fallbacks *fallbacks, struct source_cache *cache,
	const struct layer *layer, const struct loaded *newer);

/** Marks all fallbacks as unused. Call it before a composition: a source may have been mended. */
void fallbacks_rest(struct fallbacks *fallbacks);

/**
 * Returns the fallback for the source `path` of `layer`, parsed by `options`; NULL: there is none.
 * The result belongs to `fallbacks`, and is valid until the next fallbacks_find(). Call
 * fallback_fetch() before its use.
 */
struct fallback *fallbacks_find(struct fallbacks *fallbacks, struct source_cache *cache,
	const struct layer *layer, const char *path, const struct read_options *options);

/** Asks the origin for the fallback, if that was not done yet. Returns whether there is one. */
bool fallback_fetch(const struct fallbacks *fallbacks, struct fallback *fallback);

/** Returns whether the source that `problem` names has an unused fallback. */
bool fallbacks_have(const struct fallbacks *fallbacks, const struct problem *problem);

/**
 * After a failed merge, marks as used the fallback for the source that `problem` names. Returns
 * true if the merge can be tried again; false if there is no unused fallback.
 */
bool fallbacks_use(struct fallbacks *fallbacks, const struct problem *problem);

/** Stores references to the used fallbacks in `version`. Returns their number, or -ENOMEM. */
int fallbacks_give(const struct fallbacks *fallbacks, struct version *version);
