/*
 * Drop-ins as the UAPI group's configuration files specification has them
 * (uapi-group.org/specifications/specs/configuration_files_specification), `dropins: uapi`:
 *
 *      NAME            the highest layer's alone
 *      NAME.d/FILE     of all layers, in byte order of FILE whatever layer it is from; of one FILE
 *                      the highest layer's alone
 *
 * An empty file, or a link to /dev/null, masks: what it stands for is left out. Drop-ins apply also
 * where NAME itself is masked, or is not there. Nothing below NAME.d/ is looked at but its files.
 *
 * (`dropins: layers`, in expand.h, goes layer by layer, and masks nothing.)
 * In both, a name that is no drop-in's (dropin_name.h) neither masks nor is masked.
 */
#pragma once

#include "dropin_name.h"
#include "finder.h"
#include "union.h"

/**
 * Makes what was found of `path`, of any kind, what the specification says: its sources, and behind
 * them what is left out, each with the reason. Where nothing but what is masked is there, it stays
 * as it was. 0 or -errno.
 */
int dropin_take_uapi(const struct finder *finder, const struct settings *settings,
	layer_mask layers, const char *path, struct union_lookup *ret);
