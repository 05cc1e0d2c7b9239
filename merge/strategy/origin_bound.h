/*
 * A bound on the cost of origins. A script, or a JSON Patch that changes an alias, can put a value
 * at several places of the result, and each place needs a copy of the value's steps. A hostile
 * source could make many copies of many steps. So more steps than the bound are not copied: at the
 * other place, origins give only the line where the value was read.
 */
#pragma once

#include "origin.h"

/* Greatest number of steps of a value that are copied for another place. */
#define ORIGIN_BOUND 100

/** Returns whether `node` has at most ORIGIN_BOUND steps. */
bool origin_bound_is_short(const struct origins *origins, const struct node *node);

/**
 * As origin_move(), but `from` may still stand elsewhere. If its steps would have to be copied and
 * are too many, `to` gets none.
 */
void origin_bound_move(struct origins *origins, const struct node *from, const struct node *to);

/**
 * Returns `lost`. If its steps would have to be copied and are too many, returns the result of
 * origin_bound_place() instead.
 */
const struct node *origin_bound_lost(
	struct origins *origins, const struct node *lost, struct arena *arena);

/**
 * Returns a copy of `node` without steps, in `arena`; `node` itself when there is no memory.
 */
const struct node *origin_bound_place(const struct node *node, struct arena *arena);
