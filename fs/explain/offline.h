/*
 * Offline: what a mount of these settings would show, made without one. For the command, and for
 * what a mount explains of itself. Nothing is watched and nothing is published; what was parsed,
 * and what was found below a directory, is kept until it is freed. Safe for any number of threads.
 */
#pragma once

#include "compose.h"
#include "traverse.h"

struct offline;

/**
 * Takes a reference to the settings. Returns 0 with *ret for offline_free(), or -ENOMEM.
 */
int offline_new(struct settings *settings, struct offline **ret);
void offline_free(struct offline *offline); /* NULL is fine */
void offline_freep(struct offline **offline);

/** Before its first use: what is parsed is kept in `cache`, which must outlive it. */
void offline_share_cache(struct offline *offline, struct source_cache *cache);

/** The settings; they live as long as `offline`. */
struct settings *offline_settings(const struct offline *offline);

/** How files below a directory are found; lives as long as `offline`. */
const struct finder *offline_finder(const struct offline *offline);

/** As traverse(), for all that a mount would show below `path`. */
int offline_traverse(const struct offline *offline, const char *path,
	int (*each)(void *context, const struct traversed *found), void *context);

/**
 * The version of a path, relative to the root and with no "." or "..". Returns 0 with *ret for
 * version_unref(), PROBLEM, or -errno (-ENOENT, -EISDIR).
 */
int offline_read(const struct offline *offline, const char *path, struct version **ret,
	struct problem *problem);

/**
 * What offline_read() does, with what it finds: `take` is called with the path that was looked up,
 * and again as long as it returns a positive result other than PROBLEM, because a source has
 * changed meanwhile. Returns what `take` did, or as offline_read().
 */
int offline_look_at(const struct offline *offline, const char *path,
	int (*take)(void *context, const struct composer *composer, const char *path,
		const struct union_lookup *lookup, struct problem *problem),
	void *context, struct problem *problem);
