/*
 * The promises of origins for any sources of a merge: naive, and slow.
 */
#pragma once

#include "merge.h"

/**
 * Whether each place is named once for each value of the result: as its own, or as a
 * contributor's.
 */
bool origin_model_tells_once(const struct merge_result *result);

/**
 * For deep and layers of one document without tags. Checks each scalar to which only maps lead: it
 * is that of the last layer that has one, and all layers that have something there are named.
 */
bool origin_model_agrees(
	const struct merge_result *result, struct document *const *layers, size_t count);
