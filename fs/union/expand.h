/*
 * Expanding: finds the sources of a path if they are not only the layers' files at that path.
 *
 *      files: [{path: app.yaml, from: [app.yaml, "conf.d/[0-9]*.yaml"]}]     a virtual file
 *      rules: [{match: "*.yaml", dropins: layers}]         app.yaml also from app.yaml.d/
 *
 * Sources come layer by layer, lowest first. Within a layer, those of a virtual file come pattern
 * by pattern, and a file comes before its drop-ins. The sources of one pattern, and the drop-ins of
 * one file, come in byte order of their paths. A file that a higher layer hides is no source.
 * expand_is_ignored() and dropin_name.h say which names are ignored. dropin.h has the order for
 * `dropins: uapi`.
 *
 * The sources of a virtual file with `dropins: uapi` come pattern by pattern, and for each pattern
 * by name, whatever their layers are. Of the files that have the same name, only the highest
 * layer's is a source. If that layer has the name in several directories, only the file whose path
 * is the last in byte order is a source. If that file masks (dropin.h), no file of the name is a
 * source.
 */
#pragma once

#include "finder.h"
#include "listing.h"

/** Looks up `path` like union_look_up(), with virtual files and drop-ins. Returns 0 or -errno. */
int expand_look_up(const struct finder *finder, const struct settings *settings, layer_mask layers,
	const char *path, struct union_lookup *ret);

/**
 * Lists, in no order, the names that expanding shows in the directory `path`: virtual files,
 * directories that lead to virtual files, and files with drop-ins. `listing` has the names that the
 * layers show there; *ret may repeat some. Returns 0 with *ret for listing_free(), or -errno.
 */
int expand_names(const struct finder *finder, const struct settings *settings, layer_mask layers,
	const char *path, const struct listing *listing, struct listing *ret);

/** Returns whether the settings have virtual files, or rules for drop-ins. */
bool expand_is_needed(const struct settings *settings);

/**
 * Calls `each` with the path of every file that the file `name` in `directory` may be a source of,
 * by a pattern or as a drop-in. If `name` is "NAME.d", calls `each` for NAME, too.
 */
void expand_each_made_of(const struct settings *settings, const char *directory, const char *name,
	void (*each)(void *context, const char *path), void *context);

/** Returns whether patterns ignore `name`: it begins with "." or "#", or is a backup's name. */
bool expand_is_ignored(const char *name);
