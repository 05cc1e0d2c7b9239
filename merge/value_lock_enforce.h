/*
 * Keeping a lock: two trees are compared at its places, and the lower one's values put back. Part
 * of value_lock.c.
 */
#pragma once

#include "strategy.h"
#include "value_lock_place.h"

struct value_lock_enforcement {
	struct merge *merge;
	const struct value_lock *lock;
	const struct node *low;      /* what the layers up to the lock's give; NULL: nothing */
	struct origins *low_origins; /* of that; NULL: nobody asks */

	/* private: */
	struct arena *scratch;
	uint64_t **sets; /* one for each step of the way that is looked at */
	size_t set_count;
};

/**
 * Makes *root, which may be NULL, hold at each place what keep->low holds. Neither is deeper than
 * the limit. 0 or -ENOMEM.
 */
int value_lock_enforce(struct value_lock_enforcement *keep, const struct node **root);
