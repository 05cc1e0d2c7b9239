/*
 * A bound on what noting origins costs where one value comes to stand at many places: by an alias
 * that a JSON Patch changed, or by a script. Each place goes on from the same steps, which must be
 * copied for it; a hostile source could make that many times many. Beyond the bound a value's place
 * is told, and not how it came to be what it was.
 */
#pragma once

#include "origin.h"

/* Steps that are copied for one more place. */
#define ORIGIN_BOUND 100

/** Whether few steps are known of `node`. */
bool origin_bound_is_short(const struct origins *origins, const struct node *node);

/** As origin_move(), for a `from` that may stand at other places still. */
void origin_bound_move(struct origins *origins, const struct node *from, const struct node *to);

/** `lost`, or in `arena` a node with its place of which nothing is known. */
const struct node *origin_bound_lost(
	struct origins *origins, const struct node *lost, struct arena *arena);

/** `node`'s place alone, as above; `node` itself when there is no memory. */
const struct node *origin_bound_place(const struct node *node, struct arena *arena);
