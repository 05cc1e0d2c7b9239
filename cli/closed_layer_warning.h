/*
 * A warning about layers in directories that other users can't enter. A mount shows such layers to
 * those users all the same, as a bind mount does: the modes of the layer and of its contents count,
 * not those of the directories above.
 */
#pragma once

#include "settings.h"

/**
 * Calls `warn` once for each directory that layer_closed_above() finds above a layer and not above
 * `beside`, the path of a mount or a plyfs.yaml. If `beside` can't be resolved, does nothing.
 * Returns the first non-zero result of `warn`, else 0.
 */
int closed_layer_warn(const struct settings *settings, const char *beside,
	int (*warn)(void *context, const struct problem *warning), void *context);
