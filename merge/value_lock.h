/*
 * Locks: at the places that a layer locks, no higher layer changes the value, or sets one where
 * there is none.
 *
 *      lock: {policy: ["log-driver", "hosts.*"]}
 *
 * L is the merge of the layers up to and including the locking one, by the same rule. R is the
 * merge of all layers. At each locked place, R gets the value that L has there, or none if L has
 * none. That is done after both merges, so it does not depend on the strategy.
 *
 *      L   hosts: {a: 1}        R   hosts: {a: 2, b: 3}      lock "hosts.a"
 *                 └───────────────▶ hosts: {a: 1, b: 3}      and a refusal: site.yaml:1:12
 *
 * If L holds a value at a locked place, and R has a scalar, a list or nothing on the way to it, R
 * takes the value on the way from L as well. If an index of a list is locked and must hold nothing,
 * the list ends before it.
 *
 * If several layers lock a place, the lock of the lowest layer wins. Locks are enforced outside of
 * the strategies: no strategy knows of them. A file is merged once more for each locking layer that
 * is below one of the file's sources.
 *
 * A place is the keys that lead to a value, from the root, with dots between them; an index selects
 * an item of a list. "*" stands for any one key or index, and "**" for any number of them,
 * including none. "\." is a dot in a key, "\*" an asterisk, "\\" a backslash. A lock covers
 * everything below the locked value.
 */
#pragma once

#include "merge.h"

/* Begins the reason of a value that a lock has kept (origin.h); the layer's name follows. */
#define VALUE_LOCK_RULE "locked by "

struct value_lock_word;

struct value_lock {
	const struct node *layer; /* its name, the node in the option */
	unsigned rank;            /* of the layer; the caller that knows the layers sets it */
	const struct value_lock_word *words; /* of all places, one after the other */
	size_t word_count;
};

struct value_locks {
	const struct node *map; /* the option, as written */
	struct value_lock *items;
	size_t count;
};

/**
 * Reads `map`, which maps names of layers to a place or a list of places. Returns 0 with *ret in
 * `arena`, which borrows the map and has no ranks yet; PROBLEM; or -ENOMEM.
 */
int value_locks_read(const struct node *map, struct arena *arena, struct value_locks **ret,
	struct problem *problem);

/**
 * Returns whether some input lies above a locking layer, so that a lock may refuse part of it, or
 * there are bounds (value_bound.h).
 */
bool value_locks_bind(const struct merge_request *request);

struct merge;
struct merge_output;

/**
 * Merges as the strategy's merge() does, then applies the request's locks and bounds. The result
 * lists the refusals. *is_changed becomes whether these have changed the tree.
 */
int value_locks_merge(struct merge *merge, struct merge_output *ret, bool *is_changed);
