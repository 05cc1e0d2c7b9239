#include "origin_bound.h"

bool origin_bound_is_short(const struct origins *origins, const struct node *node)
{
	const struct origin *origin = origin_of(origins, node);
	const struct origin_step *step = NULL;
	unsigned count = 0;

	while (origin && (step = origin_next(origin, step)))
		if (++count > ORIGIN_BOUND)
			return false;
	return true;
}

/*
 * Returns whether the steps can be passed on at no cost: no other value continues from them yet, or
 * they are few.
 */
static bool is_cheap(const struct origins *origins, const struct node *node)
{
	const struct origin *origin = origin_of(origins, node);

	return !origin || !origin->last || !origin->last->next ||
	       origin_bound_is_short(origins, node);
}

void origin_bound_move(struct origins *origins, const struct node *from, const struct node *to)
{
	if (origins && is_cheap(origins, from))
		origin_move(origins, from, to);
}

const struct node *origin_bound_place(const struct node *node, struct arena *arena)
{
	struct node *place = arena_alloc(arena, sizeof(*place));

	if (!place)
		return node;
	*place = *node;
	return place;
}

const struct node *origin_bound_lost(
	struct origins *origins, const struct node *lost, struct arena *arena)
{
	return !origins || is_cheap(origins, lost) ? lost : origin_bound_place(lost, arena);
}
