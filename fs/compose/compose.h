/* Composing: makes the version of a path from the result of its union lookup. */
#pragma once

#include "fallback.h"
#include "finder.h"
#include "path_list.h"
#include "rights.h"
#include "settings.h"
#include "source_cache.h"
#include "union.h"
#include "version.h"

/* A file above this size may be read by descriptor, without a copy (compose_held_source()). */
#define COMPOSE_HELD_BYTES (4u << 20)

/* A path counts as broken if a source changes during each of this many attempts to compose it. */
#define COMPOSE_TRIES 1000
#define COMPOSE_PAUSE_NS 1000000 /* between two attempts */

/* Reasons why another attempt may give another result. */
enum compose_doubt {
	DOUBT_WRITER = 1, /* a source may have been written while it was read */
	DOUBT_FAILED = 2, /* a file system has failed (layer_has_failed()) */
};

struct composer {
	struct settings *settings;
	struct source_cache *cache;
	struct mounter mounter;
	unsigned *doubts;                /* gets an OR of enum compose_doubt; may be NULL */
	const atomic_bool *is_cancelled; /* true: compose() ends with -ECANCELED; may be NULL */
	bool takes_unfinished;           /* a source that is being written is read as it is */
	struct fallbacks *fallbacks;     /* of broken sources; NULL: none */
	/* The sources of this layer are loaded as texts, as they may be edited. NULL: of none. */
	const struct layer *edited;
	bool copies_held; /* a large file of one layer becomes VERSION_BYTES, not VERSION_HELD */

	const struct finder *finder;

	/* Gets warnings about values that merge, but may be mistakes. May be NULL. */
	void (*warn)(void *context, const struct problem *warning);
	void *warn_context;

	/* Gets why each source is left out (`on_error: skip-layer`). Uses warn_context. May be
	 * NULL. */
	void (*leave_out)(void *context, const struct problem *problem);
};

/* Positive results of compose(), besides PROBLEM. */
enum {
	COMPOSE_MOVED = SOURCE_MOVED,         /* a source has moved: repeat the union lookup */
	COMPOSE_UNSETTLED = SOURCE_UNSETTLED, /* a source is being written */
};

/** Returns the strategy and options of the path's virtual file, or else of its rule. */
const struct options *compose_options(const struct settings *settings, const char *path);

/** Sets *first and *count to the range of lookup->found that the strategy reads. */
void compose_contributors(const struct strategy *strategy, const struct union_lookup *lookup,
	unsigned *first, unsigned *count);

/**
 * Loads the source that was found at `path`: its document, or its text if `options` is NULL.
 * Returns as source_cache_load(), but returns PROBLEM in place of SOURCE_FAILED. Also returns
 * PROBLEM for a source that the lookup could not examine.
 *
 * If the source is broken and has a fallback, returns 0 with the fallback. In this case
 * `problem` gets the reason why the source is broken, unless problem->message has a reason already.
 */
int compose_load(const struct composer *composer, const char *path, const struct contributor *found,
	const struct read_options *options, struct loaded **ret, struct problem *problem);

/**
 * Returns the only source of a large file whose bytes are shown without a copy; NULL: the file is
 * not of this kind. The result lives as long as `lookup`.
 */
const struct contributor *compose_held_source(
	const struct composer *composer, const char *path, const struct union_lookup *lookup);

/**
 * Makes the version of `path` from `lookup`, which has found a file or a link.
 *
 * problem->message must be empty. `asked` must be NULL or empty. Even on failure it gets the
 * dependencies, missing files among them, as directory, name, directory, name …
 *
 * Returns 0 with *ret for version_unref(); PROBLEM: no version can be made; COMPOSE_MOVED;
 * COMPOSE_UNSETTLED; or -errno. If a layer was left out (`on_error: skip-layer`), a fallback was
 * used, or a value lock or bound refused a value, returns 0 and fills `problem` with the reason.
 */
int compose(const struct composer *composer, const char *path, const struct union_lookup *lookup,
	struct path_list *asked, struct version **ret, struct problem *problem);

/** Makes the problem of a path for which compose() returned -`error`. Returns PROBLEM. */
int compose_failed(const char *path, int error, struct problem *problem);

/** Makes the problem of a path with a source that changes all the time. Returns PROBLEM. */
int compose_is_restless(const char *path, struct problem *problem);

/**
 * Makes a version that gives EIO, with the sources' rights. If the rights on a source are unknown
 * because its file system has failed (layer_has_failed()), the source counts as readable by all
 * users. Returns 0 with *ret, or -errno.
 */
int compose_broken(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct version **ret);

/**
 * Returns whether the stamps (version.h) of the path's own sources prove that these sources have
 * not changed since `version` was made. Reads no file. The caller must compare settings and
 * dependencies.
 */
bool compose_is_current(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, const struct version *version);

/**
 * Returns the basis of `path`: a hash of `seed`, the path, union_lookup.kind, and each source's
 * layer and stamp. If the basis, the settings and the program are the same, the version is
 * the same, even in a later process. Reads no file.
 *
 * Returns 0 (no basis) if `seed` is 0; if the lookup has found no file or link, could not examine
 * everything, or has left a file out (union.h); or if a source
 *
 * - is racy (source_is_racy());
 * - lies at another path than `path`: a drop-in, or a source of a virtual file;
 * - lies on another file system than its layer;
 * - is in a layer that follows links, is remote, or comes out of a store.
 */
uint64_t compose_basis(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, uint64_t seed);
