/*
 * A bound on the cost of origins. A hostile source can put one value at many places of the result.
 * The values at these places share one list of steps (origin.h). The first of these values that
 * adds a step extends this list. Any other value that adds a step needs a copy of the list. So if
 * the list has more than ORIGIN_BOUND steps, and is extended already, a value at a further place
 * gets no steps: origins give only the line where the value was read.
 */
#pragma once

#include "origin.h"

/* Greatest number of steps that a value may have if its steps are to be copied. */
#define ORIGIN_BOUND 100

/** Returns whether `node` has at most ORIGIN_BOUND steps. */
bool origin_bound_is_short(const struct origins *origins, const struct node *node);

/**
 * As origin_move(), but `from` may stay in the result. Both values then share one list of steps. If
 * the list has more than ORIGIN_BOUND steps, and another value has already extended it, does
 * nothing: `to` gets no steps.
 */
void origin_bound_move(struct origins *origins, const struct node *from, const struct node *to);

/**
 * Returns the node to record for `lost`, a value that was overridden or removed: `lost` itself; or,
 * if origin_bound_move() would not move its steps, a copy without steps (origin_bound_place()).
 */
const struct node *origin_bound_lost(
	struct origins *origins, const struct node *lost, struct arena *arena);

/** Returns a copy of `node` in `arena`, without steps; `node` itself if memory is short. */
const struct node *origin_bound_place(const struct node *node, struct arena *arena);
