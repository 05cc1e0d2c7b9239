/*
 * Expanding: paths whose sources are not just the same-named files of the layers.
 *
 *      files: [{path: app.yaml, from: [app.yaml, "conf.d/" + "*.yaml"]}]     a virtual file
 *      rules: [{match: "*.yaml", dropins: true}]    app.yaml also from app.yaml.d/
 *
 * Sources come layer by layer, lowest first; within a layer pattern by pattern, or the file itself
 * before its drop-ins; and names in byte order. What a higher layer hides does not take part.
 * Hidden files and editors' backups never do.
 */
#pragma once

#include "compose.h"
#include "directory.h"

struct view;

/** As union_look_up(), with virtual files and drop-ins. Wants the lock not held. 0 or -errno. */
int expand_take(struct view *view, const struct settings *settings, layer_mask layers,
	const char *path, struct union_lookup *ret);

/**
 * The names in `path` that only expanding shows, besides those that `listing` has: virtual files,
 * directories that lead to some, and what only has drop-ins. In no order. Wants the lock not held.
 * Returns 0 with *ret for listing_free(), or -errno.
 */
int expand_names(struct view *view, const struct settings *settings, layer_mask layers,
	const char *path, const struct listing *listing, struct listing *ret);

/** Whether the settings have anything to expand. */
bool expand_is_needed(const struct settings *settings);

/** Something has changed at `name` in `directory`: what is made of it is queued. The lock is held.
 */
void expand_touch(struct view *view, const struct directory *directory, const char *name);

/** Directories have come or gone: every virtual file is queued. The lock is held. */
void expand_touch_all(struct view *view);

/** Whether a name is a backup or a hidden file, which no pattern matches. */
bool expand_is_ignored(const char *name);
