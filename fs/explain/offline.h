/*
 * A merged tree without a mount. It has the files that a mount with the same settings would show.
 * Until the tree is freed, it caches parsed sources and the lists of files below directories.
 */
#pragma once

#include "compose.h"
#include "traverse.h"

struct offline;

/** Takes a reference to the settings. Returns 0 with *ret for offline_free(), or -ENOMEM. */
int offline_new(struct settings *settings, struct offline **ret);
void offline_free(struct offline *offline); /* NULL: does nothing */
void offline_freep(struct offline **offline);

/**
 * Uses `cache`, which must outlive `offline`, for parsed sources. Call this function before
 * `offline` is used for anything else.
 */
void offline_share_cache(struct offline *offline, struct source_cache *cache);

/** Returns the settings; they live as long as `offline`. */
struct settings *offline_settings(const struct offline *offline);

/** Returns the composer; it lives as long as `offline`. */
const struct composer *offline_composer(const struct offline *offline);

/** Returns the finder of files below directories; it lives as long as `offline`. */
const struct finder *offline_finder(const struct offline *offline);

/** Calls `each` for every path that a mount would show at and below `path`; see traverse(). */
int offline_traverse(const struct offline *offline, const char *path,
	int (*each)(void *context, const struct traversed *found), void *context);

/**
 * Merges `path`, relative to the root and with no "." or "..". Returns 0 with *ret for
 * version_unref(); PROBLEM; or -errno (-ENOENT, -ENOTDIR, -EISDIR).
 */
int offline_read(const struct offline *offline, const char *path, struct version **ret,
	struct problem *problem);

/**
 * Looks `path` up, and calls `take` with the lookup. If the lookup fails, returns -errno as
 * offline_read(). If `take` returns 0, PROBLEM or -errno, returns this result. Any other result
 * means that a source has changed: repeats both steps. Returns PROBLEM after COMPOSE_TRIES calls.
 */
int offline_look_at(const struct offline *offline, const char *path,
	int (*take)(void *context, const struct composer *composer, const char *path,
		const struct union_lookup *lookup, struct problem *problem),
	void *context, struct problem *problem);
