/*
 * Locks: what a layer sets at some places, or leaves unset, no higher layer changes.
 *
 *      lock: {policy: ["log-driver", "hosts.*"]}
 *
 * With L = the merge of the layers up to and including the locking one by the same rule, and R =
 * the merge of all: at each locked place R holds exactly what L holds (also: nothing). That is made
 * so on the trees, whatever the strategy did: both are merged, and compared at the places.
 *
 *      L   hosts: {a: 1}        R   hosts: {a: 2, b: 3}      lock "hosts.a"
 *                 └───────────────▶ hosts: {a: 1, b: 3}      and a refusal: site.yaml:1:12
 *
 * Where R has a scalar, a list or nothing on the way to a place at which L holds something, the
 * value on the way is L's as well. A list that must hold nothing at an index ends before it.
 *
 * Of several locks that of the lowest layer wins. This stands around the strategies, so that none of
 * them knows of locks; only what has a lock below one of its sources is merged twice.
 *
 * A place is the keys that lead to a value, from the root, with dots between them; an index counts
 * the items of a list. "*" stands for any one key or index and "**" for any number, also none; "\."
 * is a dot in a key, "\*" an asterisk, "\\" a backslash. What is below a locked value is locked.
 */
#pragma once

#include "merge.h"

/* The reason of a value that a lock has kept begins so (origin.h), and ends with the layer. */
#define VALUE_LOCK_RULE "locked by "

struct value_lock_word;

struct value_lock {
	const struct node *layer;      /* where it is named */
	unsigned rank;                 /* the layer's; whoever knows the layers sets it */
	const struct value_lock_word *words; /* of all places, one behind the other */
	size_t word_count;
};

struct value_locks {
	const struct node *map; /* as written */
	struct value_lock *items;
	size_t count;
};

/**
 * Reads `map`, layers' names to a place or a list of them. Returns 0 with *ret in `arena`, which
 * borrows the map, and no rank in it; PROBLEM; or -ENOMEM.
 */
int value_locks_read(const struct node *map, struct arena *arena, struct value_locks **ret,
	struct problem *problem);

/** Whether a lock of the request can keep something away from its inputs. */
bool value_locks_bind(const struct merge_request *request);

struct merge;
struct merge_output;

/** As the strategy's merge(), with the request's locks kept; what they refuse is in the result. */
int value_locks_merge(struct merge *merge, struct merge_output *ret);
