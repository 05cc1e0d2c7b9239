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

/*
 * If the sources of a path change during each of so many attempts to compose it, the path counts as
 * broken.
 */
#define COMPOSE_TRIES 1000
#define COMPOSE_PAUSE_NS 1000000 /* between two attempts */

/* Reasons why composing once more may give another result. */
enum compose_doubt {
	DOUBT_WRITER = 1, /* a source may have been written while it was read */
	DOUBT_FAILED = 2, /* a file system has failed (layer_has_failed()) */
};

struct composer {
	struct settings *settings;
	struct source_cache *cache;
	struct mounter mounter;
	unsigned *doubts;                /* gets an OR of enum compose_doubt; may be NULL */
	const atomic_bool *is_cancelled; /* makes compose() end with -ECANCELED; may be NULL */
	bool takes_unfinished;           /* a source that is being written is taken as it is */
	struct fallbacks *fallbacks;     /* for sources that are broken; NULL: none */
	bool copies_held; /* a large file of one layer becomes VERSION_BYTES, not VERSION_HELD */

	const struct finder *finder;

	/* Gets warnings of values that merge, but may be mistakes. May be NULL. */
	void (*warn)(void *context, const struct problem *warning);
	void *warn_context;
};

/* Positive results of compose(), besides PROBLEM. */
enum {
	COMPOSE_MOVED = SOURCE_MOVED,         /* a source has moved: repeat the union lookup */
	COMPOSE_UNSETTLED = SOURCE_UNSETTLED, /* a source is being written */
};

/** Returns a path's strategy and options: those of its virtual file, or else of its rule. */
const struct options *compose_options(const struct settings *settings, const char *path);

/**
 * Gives the range of lookup->found that the strategy reads: it begins at found[*first] and has
 * *count items.
 */
void compose_contributors(const struct strategy *strategy, const struct union_lookup *lookup,
	unsigned *first, unsigned *count);

/**
 * Loads the source that was found at `path`: its document, or its text if `options` is NULL. If the
 * lookup could not examine the source, returns PROBLEM. Otherwise returns what source_cache_load()
 * returns, but PROBLEM in place of SOURCE_FAILED.
 *
 * If the source is broken, and has a fallback, returns 0 with the fallback in *ret, and writes the
 * reason to `problem`, unless `problem` has a message already.
 */
int compose_load(const struct composer *composer, const char *path, const struct contributor *found,
	const struct read_options *options, struct loaded **ret, struct problem *problem);

/**
 * Returns the only source of a large file that is shown without a copy of the source's bytes. NULL:
 * the file is not of this kind. The result lives as long as `lookup`.
 */
const struct contributor *compose_held_source(
	const struct composer *composer, const char *path, const struct union_lookup *lookup);

/**
 * Makes the version of `path` from `lookup`, which has found a file or a link. The version has the
 * mtime of its newest source.
 *
 * `asked` must be NULL or empty. Even on failure it gets the dependencies: the files that were
 * looked for, besides the path's own sources, as directory, name, directory, name … Some may be
 * missing.
 * `problem->message` must be empty.
 *
 * Returns 0 with *ret for version_unref(); PROBLEM: no version can be made; COMPOSE_MOVED;
 * COMPOSE_UNSETTLED; or -errno. In three cases it returns 0 and fills `problem` with the reason: a
 * layer was left out (`on_error: skip-layer`), a fallback was used, or a value was refused.
 */
int compose(const struct composer *composer, const char *path, const struct union_lookup *lookup,
	struct path_list *asked, struct version **ret, struct problem *problem);

/** Makes the problem of a path for which compose() returned -`error`. Returns PROBLEM. */
int compose_failed(const char *path, int error, struct problem *problem);

/** Makes the problem of a path with a source that changes all the time. Returns PROBLEM. */
int compose_is_restless(const char *path, struct problem *problem);

/**
 * Makes a version that gives EIO, with the sources' rights. A source whose rights are unknown,
 * because its file system has failed (layer_has_failed()), takes no rights away. Returns 0 with
 * *ret, or -errno.
 */
int compose_broken(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct version **ret);

/**
 * Compares the stamps of the path's own sources with those in `version`. Returns true if it is
 * certain that these sources have not changed. If a source is racy (source_is_young()), that is not
 * certain. Reads no file. The caller must compare settings and dependencies.
 */
bool compose_is_current(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, const struct version *version);

/**
 * Returns the basis of `path`: a hash of the path, of union_lookup.kind, and of each source's layer
 * and stamp. The hash starts from `seed`. If two bases are the same, and so are settings and
 * program, then the versions are the same, even in a later process. Reads no file.
 *
 * Returns 0, for no basis, if `seed` is 0; if the lookup has found no file or link; if it could not
 * examine everything; or if the stamps may miss a change, because a source
 *
 * - is racy (source_is_young());
 * - lies at another path than `path`: a drop-in, or a source of a virtual file;
 * - lies on another file system than its layer;
 * - is in a layer that follows links, is remote, or comes out of a store.
 */
uint64_t compose_basis(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, uint64_t seed);
