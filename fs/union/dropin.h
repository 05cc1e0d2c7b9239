/*
 * Drop-ins by the UAPI group's configuration files specification
 * (uapi-group.org/specifications/specs/configuration_files_specification): `dropins: uapi`.
 *
 *      NAME            only the highest layer's file
 *      NAME.d/FILE     the files of all layers, in byte order of FILE, whichever layer they are
 * from; of several layers' files of one name only the highest layer's
 *
 * An empty file, or a link to /dev/null, masks: it hides the files that lower layers have at its
 * path. Drop-ins apply also where NAME itself is masked or missing. Directories in NAME.d/ are
 * ignored.
 *
 * `dropins: layers` (expand.h) goes layer by layer instead, and masks nothing. In both modes a name
 * that is not a drop-in's (dropin_name.h) neither masks nor is masked.
 */
#pragma once

#include "dropin_name.h"
#include "finder.h"
#include "union.h"

/**
 * Replaces the lookup of `path`, of any kind, by the sources that the specification names. Behind
 * the sources stand the files that are left out, each with the reason. If no source remains, *ret
 * stays unchanged. Returns 0 or -errno.
 */
int dropin_take_uapi(const struct finder *finder, const struct settings *settings,
	layer_mask layers, const char *path, struct union_lookup *ret);
