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
	/* `lock` has the places of bounds. Then a place that `low` lacks stays as it is, and
	 * nothing is refused here: value_bound_fold() has added the refusals. */
	bool is_bound;

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

/* Parts that bounds (value_bound.h) need, too. */

/* Bytes of a place, and of the text about a kept value, in a message; longer ones are cut. */
#define VALUE_LOCK_NAME_BYTES 256
#define VALUE_LOCK_KEPT_BYTES (PROBLEM_SOURCE_MAX + 64)

/** Writes "as policy/app.yaml:1:2 has it". */
void value_lock_describe_kept(const struct node *kept, char *text, size_t size);

/**
 * Adds a refusal to the result, for the caller to fill; *ret NULL: the result has REFUSALS_MAX, and
 * only counts this one. Returns 0 or -ENOMEM.
 */
int value_lock_add_refusal(struct merge *merge, struct problem **ret);

/** Refuses a tree that is too large or too deep to be compared. Returns 0 or PROBLEM. */
int value_lock_check_size(struct merge *merge, const struct node *root);

/**
 * Merges some of the inputs, by the same rule and without locks or bounds. *ret is NULL for
 * nothing. `problem` is filled in place of the merge's. Returns 0, PROBLEM or -errno.
 */
int value_lock_merge_part(const struct merge *merge, const struct merge_input *inputs, size_t count,
	const struct merge_environment *environment, struct origins *origins,
	struct problem *problem, const struct node **ret);
