/*
 * Layers that lie where others can't get to, and that a mount shows to them all the same, as a bind
 * mount does: it asks for the modes of a layer and of what is in it, not of what is above.
 */
#pragma once

#include "settings.h"

/**
 * Tells of each directory that is closed to others and has a layer in it, once, if `beside`, a
 * mount or a plyfs.yaml, does not lie there as well. Returns what `tell` does when that is not 0,
 * else 0.
 */
int closed_layer_warn(const struct settings *settings, const char *beside,
	int (*tell)(void *context, const struct problem *warning), void *context);
