/*
 * The enforcement of a lock: puts the locked values of L, the merge up to the locking layer, into
 * R, the merge of all layers (value_lock.h).
 */
#pragma once

#include "strategy.h"
#include "value_lock_place.h"

/*
 * If lock->layer is NULL, `lock` has the places of bounds, and `low` the bounded values. Where
 * `low` has no value, R keeps its own. No refusals are added: value_bound_fold() has added them.
 */
struct value_lock_enforcement {
	struct merge *merge;
	const struct value_lock *lock;
	const struct node *low;      /* L: the merge up to the locking layer; NULL: no value */
	struct origins *low_origins; /* of `low`; NULL: off */

	/* private: */
	struct arena *scratch;
};

/**
 * Makes *root, which may be NULL, equal to keep->low at each locked place. Adds the refusals to
 * merge->result. The trees must have passed value_lock_check_size(). Returns 0 or -ENOMEM.
 */
int value_lock_enforce(struct value_lock_enforcement *keep, const struct node **root);

/* Parts that bounds (value_bound.h) need, too. */

/* Sizes, in bytes, of buffers for the name of a place, and for value_lock_describe_kept(). */
#define VALUE_LOCK_NAME_BYTES 256
#define VALUE_LOCK_KEPT_BYTES (PROBLEM_SOURCE_MAX + 64)

/**
 * Writes to `text`: first `before`, then the place of `kept`, the value that stays, then `behind`.
 * The result is, for example, "as policy/app.yaml:1:2 has it".
 */
void value_lock_describe_kept(const struct node *kept, const char *before, const char *behind,
	char text[VALUE_LOCK_KEPT_BYTES]);

/**
 * Adds a refusal to merge->result. The caller must fill *ret. If there are REFUSALS_MAX refusals
 * already, only counts one more, and sets *ret to NULL. Returns 0 or -ENOMEM.
 */
int value_lock_add_refusal(struct merge *merge, struct problem **ret);

/** Refuses a tree (may be NULL) above the request's limits. Returns 0 or PROBLEM. */
int value_lock_check_size(struct merge *merge, const struct node *root);

/**
 * Merges `inputs`, a part of merge->inputs, without locks and bounds. Returns 0 with *ret, in
 * merge->arena (NULL: no value); PROBLEM; or -errno.
 */
int value_lock_merge_part(const struct merge *merge, const struct merge_input *inputs, size_t count,
	const struct merge_environment *environment, struct origins *origins,
	struct problem *problem, const struct node **ret);

/**
 * Finds the one of `roots` that is merged with `root`, document `n` of the result: *ret becomes its
 * index, or `count`. Returns 0 or -ENOMEM.
 */
int value_lock_match_document(const struct merge *merge, const struct node *root, size_t n,
	const struct node *const *roots, size_t count, struct arena *scratch, size_t *ret);
