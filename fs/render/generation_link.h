/*
 * The links beside the generations (generation.h): GENERATION_LINK, and one for each name at the
 * top of the shown generation. An int result is 0, PROBLEM or -errno.
 */
#pragma once

#include "rendered.h"

/** Makes the link `name` lead to `target`, unless it does so already. */
int generation_link_put(
	struct rendered *rendered, const char *name, const char *target, struct problem *problem);

/**
 * Puts the links of all names at the top, and removes the links of names that are no longer shown.
 * Of several failures, returns the first one.
 */
int generation_link_all(struct rendered *rendered, struct problem *problem);
