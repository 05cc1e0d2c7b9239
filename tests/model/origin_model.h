/*
 * What origins must tell, whatever a merge's sources are: naive, and slow.
 */
#pragma once

#include "merge.h"

/** Whether each place is told once for each value of the result: as its own, or of a contributor.
 */
bool origin_model_tells_once(const struct merge_result *result);

/**
 * For deep and layers of one document without tags: whether each scalar that maps alone lead to is
 * the last layer's that has one, and all layers that have something there are told.
 */
bool origin_model_agrees(
	const struct merge_result *result, struct document *const *layers, size_t count);
