/*
 * Expanding: finds the sources of a path that may have sources at other paths, too.
 *
 *      files: [{path: app.yaml, from: [app.yaml, "conf.d/[0-9]*.yaml"]}]     a virtual file
 *      rules: [{match: "*.yaml", dropins: layers}]         app.yaml also from app.yaml.d/
 *
 * Sources are ordered, lowest precedence first, by layer, then by pattern, then by path (byte
 * order). In a layer, a file comes before its drop-ins. A file that a higher layer hides is no
 * source. expand_is_ignored() and dropin_name.h say which names are ignored.
 *
 * With `dropins: uapi`, the sources of a virtual file are ordered by pattern, then by name. Of all
 * files with the same name, only one is a source: the file of the highest layer, or, if this layer
 * has several, the last by path. If this file masks (dropin.h), no file of its name is a source.
 */
#pragma once

#include "finder.h"
#include "listing.h"

/** Does union_look_up() with virtual files and drop-ins. Returns 0 or -errno. */
int expand_look_up(const struct finder *finder, const struct settings *settings, layer_mask layers,
	const char *path, struct union_lookup *ret);

/**
 * Lists, in no order, the names that expanding adds to the directory `path`: virtual files,
 * directories that lead to them, and files with drop-ins. `listing` has the names that the layers
 * show there; *ret may repeat some of them. Returns 0 with *ret for listing_free(), or -errno.
 */
int expand_names(const struct finder *finder, const struct settings *settings, layer_mask layers,
	const char *path, const struct listing *listing, struct listing *ret);

/** Returns whether the settings have virtual files, or rules for drop-ins. */
bool expand_is_needed(const struct settings *settings);

/**
 * Calls `each` for the path of every file that may have `directory`/`name` as a source, by a
 * pattern or as a drop-in. If `name` is "NAME.d", calls `each` for NAME, too.
 */
void expand_each_made_of(const struct settings *settings, const char *directory, const char *name,
	void (*each)(void *context, const char *path), void *context);

/** Returns whether patterns ignore `name`: it begins with "." or "#", or is a backup's name. */
bool expand_is_ignored(const char *name);
