/*
 * The enforcement of a lock: compares two trees at the lock's places, and puts the lower tree's
 * values back. Part of value_lock.c.
 */
#pragma once

#include "strategy.h"
#include "value_lock_place.h"

struct value_lock_enforcement {
	struct merge *merge;
	const struct value_lock *lock;
	const struct node *low;      /* the merge of the layers up to the lock's; NULL: nothing */
	struct origins *low_origins; /* of `low`; NULL: off */

	/* private: */
	struct arena *scratch;
	uint64_t **sets; /* one for each depth of the walk */
	size_t set_count;
};

/**
 * Changes *root, which may be NULL, so that it equals keep->low at each locked place. Neither tree
 * may be nested deeper than limits.depth. Returns 0 or -ENOMEM.
 */
int value_lock_enforce(struct value_lock_enforcement *keep, const struct node **root);
