/*
 * A bound on the cost of origins. A value has a step for each other value that contributed to it
 * (origin.h). A script, or a JSON Patch that changes an alias, can put one value at several places
 * of the result, and each of these places needs its own copy of the value's steps. A hostile source
 * could make many copies of many steps. Therefore, the steps of a value with more than ORIGIN_BOUND
 * steps are not copied. The first place keeps the steps. At the other places, origins give only the
 * line where the value was read.
 */
#pragma once

#include "origin.h"

/* Greatest number of steps that a value may have if its steps are to be copied. */
#define ORIGIN_BOUND 100

/** Returns whether `node` has at most ORIGIN_BOUND steps. */
bool origin_bound_is_short(const struct origins *origins, const struct node *node);

/**
 * As origin_move(), but `from` may stay at another place of the result, as `from` and `to` then
 * share the steps. Does nothing if `from` has more than ORIGIN_BOUND steps, and another value that
 * shares them has added a step.
 */
void origin_bound_move(struct origins *origins, const struct node *from, const struct node *to);

/**
 * Returns the node to record for `lost`, a value that was overridden or removed. If
 * origin_bound_move() would not move its steps, that is a copy without steps
 * (origin_bound_place()); otherwise `lost` itself.
 */
const struct node *origin_bound_lost(
	struct origins *origins, const struct node *lost, struct arena *arena);

/**
 * Returns a copy of `node` without its steps, allocated in `arena`. Returns `node` itself if memory
 * is short.
 */
const struct node *origin_bound_place(const struct node *node, struct arena *arena);
