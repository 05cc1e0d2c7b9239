/* The bounded value at one place, computed from the sources' values. Part of value_bound.c. */
#pragma once

#include "strategy.h"
#include "value_bound.h"
#include "value_lock_place.h"

/* A source's value at the place. */
struct value_bound_view {
	const struct node *own; /* the value after the source was merged alone; NULL: none */
	const struct node *raw; /* the value in the document, with tags; NULL: none, or not known */
	/*
	 * The node that removes the lower values; NULL: none. Such a node is at the place or above
	 * it, and has a tag that removes them; or it is above the place, and is not of the kind
	 * (map or list) in which the place could be.
	 */
	const struct node *cut;
};

struct value_bound_fold {
	struct merge *merge;
	struct origins *origins; /* of the value; NULL: off */
	struct arena *scratch;
	const struct value_bound *bound;
	const struct value_lock_step *step;
	const struct value_bound_view *views; /* of the sources, lowest first */
	size_t count;
};

/**
 * Sets *ret to the bounded value; NULL: no source has a value. Adds the refusals (merge.h) to
 * merge->result. Returns 0, PROBLEM or -ENOMEM.
 */
int value_bound_fold(const struct value_bound_fold *fold, const struct node **ret);
