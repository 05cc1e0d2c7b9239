/*
 * Locks: at the places that a layer locks, no higher layer can change or add a value.
 *
 *      lock: {policy: ["log-driver", "hosts.*"]}
 *
 * L is the merge of the locking layer and the layers below it. R is the merge of all layers. R gets
 * the values that L has at the locked places. If L has no value at a locked place, R gets none.
 *
 *      L   hosts: {a: 1}        R   hosts: {a: 2, b: 3}      lock "hosts.a"
 *                 └───────────────▶ hosts: {a: 1, b: 3}      and a refusal: site.yaml:1:12
 *
 * If R lacks a map or list on the way to a locked value, or has another kind of value in its place,
 * R gets the whole map or list of L. If a lock names an index at which the list in L has no item,
 * the list in R ends before that index.
 *
 * If several layers lock a place, the lock of the lowest layer wins. Locks are enforced outside of
 * the strategies.
 *
 * A place is the keys from the root to a value, with dots between them; an index selects an item of
 * a list. "*" stands for one key or index, "**" for zero or more. "\." is a dot in a key, "\*" an
 * asterisk, "\\" a backslash. A lock covers the value at the place and everything in it.
 */
#pragma once

#include "merge.h"

/* The reason (origin.h) of a locked value is this text and the layer's name. */
#define VALUE_LOCK_RULE "locked by "

struct value_lock_word;

struct value_lock {
	const struct node *layer;            /* the name of the layer, a node of the option */
	unsigned rank;                       /* of the layer */
	const struct value_lock_word *words; /* of all places of the lock (value_lock_place.h) */
	size_t word_count;
};

struct value_locks {
	const struct node *map; /* the option, as written */
	struct value_lock *items;
	size_t count;
};

/**
 * Reads `map`: each key is the name of a layer, each value a place or a list of places. The caller
 * must set the rank of each lock. Returns 0 with *ret, which is in `arena` and borrows `map`;
 * PROBLEM; or -ENOMEM.
 */
int value_locks_read(const struct node *map, struct arena *arena, struct value_locks **ret,
	struct problem *problem);

/** Returns whether the request has bounds, or an input from a layer above a locking one. */
bool value_locks_bind(const struct merge_request *request);

struct merge;
struct merge_output;

/**
 * Calls the strategy's merge(), then applies locks and bounds. Adds refusals to merge->result. Sets
 * *is_changed to whether a lock or bound changed the tree. Returns 0, PROBLEM or -errno.
 */
int value_locks_merge(struct merge *merge, struct merge_output *ret, bool *is_changed);
