/*
 * A bound on the cost of origins if one value gets many places, by an alias that a JSON Patch
 * changed, or by a script. Each place continues from the same steps, which must be copied for it. A
 * hostile source could make both the places and the steps many. Beyond the bound, origins give a
 * value's place, but not its history.
 */
#pragma once

#include "origin.h"

/* Greatest number of steps that are copied for another place of a value. */
#define ORIGIN_BOUND 100

/** Returns whether `node` has at most ORIGIN_BOUND steps. */
bool origin_bound_is_short(const struct origins *origins, const struct node *node);

/** As origin_move(), for a `from` that may stand at other places as well. */
void origin_bound_move(struct origins *origins, const struct node *from, const struct node *to);

/**
 * Returns `lost`, or if its steps are too many a node in `arena` that has its place but no steps.
 */
const struct node *origin_bound_lost(
	struct origins *origins, const struct node *lost, struct arena *arena);

/**
 * Returns a node that has the place of `node` but no steps; `node` itself when there is no memory.
 */
const struct node *origin_bound_place(const struct node *node, struct arena *arena);
