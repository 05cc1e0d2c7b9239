/*
 * A warning about layers in directories that only their owner and group can enter. A mount shows
 * such layers to other users all the same: as in a bind mount, only the modes of the layer and its
 * contents apply, not those of the directories above.
 */
#pragma once

#include "settings.h"

/**
 * Calls `warn` once for each such directory that lies above a layer, but not above `beside`, the
 * path of a mount or a plyfs.yaml (layer_closed_above()). If `beside` can't be resolved, does
 * nothing. Stops at the first non-zero result of `warn`, and returns that; otherwise returns 0.
 */
int closed_layer_warn(const struct settings *settings, const char *beside,
	int (*warn)(void *context, const struct problem *warning), void *context);
