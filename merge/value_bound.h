/*
 * Bounds: at a place that a rule bounds, a higher source can only tighten the value.
 *
 *      bounds: {permissions.deny: union, mode: {at_most: [off, ask, allow]}}
 *
 * The merged file has there what the bound makes of the values that the sources themselves have,
 * from the lowest to the highest, whatever the strategy makes of them. A source without a value
 * there has no opinion.
 *
 *      union       the items of all lists, each once; the lowest list's come first
 *      intersect   the items of the lowest list that all other lists have, too
 *      max, min    the largest, or smallest, number
 *      at_most     of an ordered scale, strictest first: the strictest value
 *      and, or     of booleans
 *
 * A source that would loosen the value is overruled, and refused as a lock refuses a change: it has
 * a looser value; a null, another kind of value, or a tag that removes; a list for `union` that
 * lacks items and adds none; an item for `intersect` that is not in all lower lists. A value that
 * does not fit the bound is an error: of a list's bound in the lowest source only.
 *
 * As locks (value_lock.h), bounds work around the strategies: each source is merged alone, which
 * gives its values; the bounded values make a tree; and value_lock_enforce() puts that tree's
 * values into the result. Places are those of locks. If two bounds reach one value, the one that
 * is written first counts. Nothing below a bounded value is bounded itself.
 */
#pragma once

#include "value_lock.h"

/* Begins the reason of a bounded value (origin.h); the bound's name follows. */
#define VALUE_BOUND_RULE "bounded by "

/* The bounds, for messages. */
#define VALUE_BOUND_NAMES "union, intersect, max, min, at_most, and, or"

enum value_bound_kind {
	VALUE_BOUND_UNION,
	VALUE_BOUND_INTERSECT,
	VALUE_BOUND_MAX,
	VALUE_BOUND_MIN,
	VALUE_BOUND_AT_MOST,
	VALUE_BOUND_AND,
	VALUE_BOUND_OR,
};

struct value_bound {
	const struct node *place; /* as written */
	const struct value_lock_word *words;
	enum value_bound_kind kind;
	const struct node *scale; /* VALUE_BOUND_AT_MOST: a list of scalars; otherwise NULL */
};

struct value_bounds {
	const struct node *map;   /* the option, as written */
	struct value_lock places; /* of all bounds; it belongs to no layer */
	struct value_bound *items;
	size_t count;
};

/**
 * Reads `map`, which maps places to bounds. Refuses two bounds that differ if one value can be at
 * the places of both, and a bound that can be at or below a place of `locks`, which may be NULL.
 * Returns 0 with *ret in `arena`, which borrows the map; PROBLEM; or -ENOMEM.
 */
int value_bounds_read(const struct node *map, const struct value_locks *locks, struct arena *arena,
	struct value_bounds **ret, struct problem *problem);

/** Returns the name of the bound. Static. */
const char *value_bound_name(const struct value_bound *bound);

/**
 * Puts the bounded values into *root, the strategy's result, which may be NULL. The result of the
 * merge lists the refusals. Returns 0, PROBLEM or -errno.
 */
int value_bounds_apply(struct merge *merge, const struct node **root);
