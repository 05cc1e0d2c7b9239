/*
 * Drop-ins by the UAPI group's configuration files specification
 * (uapi-group.org/specifications/specs/configuration_files_specification): `dropins: uapi`.
 *
 *      NAME            only the highest layer's file
 *      NAME.d/FILE     the files of all layers, sorted by FILE in byte order; if several layers
 *                      have the same FILE, only the highest layer's
 *
 * An empty file, or a link to /dev/null, masks: it hides the files that lower layers have at its
 * path. Drop-ins are merged even if NAME is masked or missing. Directories in NAME.d/ are ignored.
 * If the highest layer's NAME is an empty file, and there are no drop-ins, the empty file is the
 * only source.
 *
 * With `dropins: layers` (expand.h) sources come layer by layer, and an empty file masks nothing.
 * Both modes ignore files without a drop-in's name (dropin_name.h).
 */
#pragma once

#include "dropin_name.h"
#include "finder.h"
#include "union.h"

/* The reasons why a link to /dev/null, and the files that it hides, are left out. */
#define DROPIN_LINK_MASKS "a link to /dev/null masks (dropins: uapi)"
#define DROPIN_LINK_MASKED "masked by a link to /dev/null (dropins: uapi)"

/**
 * Replaces the contributors (union.h) in *ret, the lookup of `path`, by the sources that the
 * specification gives, followed by the files that are left out, each with the reason. If there is
 * no source, *ret stays unchanged. Returns 0 or -errno.
 */
int dropin_take_uapi(const struct finder *finder, const struct settings *settings,
	layer_mask layers, const char *path, struct union_lookup *ret);
