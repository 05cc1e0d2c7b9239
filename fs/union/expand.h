/*
 * Expanding: paths whose sources are not just the same-named files of the layers.
 *
 *      files: [{path: app.yaml, from: [app.yaml, "conf.d/" + "*.yaml"]}]     a virtual file
 *      rules: [{match: "*.yaml", dropins: layers}]  app.yaml also from app.yaml.d/ (or uapi: dropin.h)
 *
 * Sources come layer by layer, lowest first; within a layer pattern by pattern, or the file itself
 * before its drop-ins; and names in byte order. What a higher layer hides does not take part.
 * Hidden files and editors' backups never do.
 */
#pragma once

#include "finder.h"
#include "listing.h"

/** As union_look_up(), with virtual files and drop-ins. 0 or -errno. */
int expand_look_up(const struct finder *finder, const struct settings *settings, layer_mask layers,
	const char *path, struct union_lookup *ret);

/**
 * The names in `path` that only expanding shows, besides those that `listing` has: virtual files,
 * directories that lead to some, and what only has drop-ins. In no order.
 * Returns 0 with *ret for listing_free(), or -errno.
 */
int expand_names(const struct finder *finder, const struct settings *settings, layer_mask layers,
	const char *path, const struct listing *listing, struct listing *ret);

/** Whether the settings have anything to expand. */
bool expand_is_needed(const struct settings *settings);

/**
 * Calls `each` with the paths of what is made, by a pattern or as a drop-in, of the file `name` in
 * `directory`; or for drop-ins, of the directory of that name.
 */
void expand_each_made_of(const struct settings *settings, const char *directory, const char *name,
	void (*each)(void *context, const char *path), void *context);

/** Whether a name is a backup or a hidden file, which no pattern matches. */
bool expand_is_ignored(const char *name);
