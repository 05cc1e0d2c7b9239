/*
 * Bounds: at a place that a rule bounds, a higher source can only tighten the value.
 *
 *      bounds: {permissions.deny: union, mode: {at_most: [off, ask, allow]}}
 *
 * The bound computes the value from the sources' values at the place, lowest source first. The
 * strategy's result does not count.
 *
 *      union       the items of all lists, each once, those of the lowest list first
 *      intersect   the items of the lowest list that all other lists have, too
 *      max         the largest number
 *      min         the smallest number
 *      at_most     the value that comes first on the bound's scale
 *      and         whether all booleans are true
 *      or          whether at least one boolean is true
 *
 * A source's attempt to loosen the value is refused, as by a lock:
 *
 *      any bound   a looser value; a null; a tag that removes the value; a value that replaces
 *                  a lower source's map or list in which the place lies
 *      union       a list that lacks an item of a lower list. But a list that adds a new item and
 *                  has no tag that removes items is no attempt
 *      intersect   an item that is not in all lower lists
 *      union,      a value that is no list, if a lower source has a list there
 *      intersect
 *
 * Any other value that the bound can't use is an error.
 *
 * Some formats, such as systemd, write a list as a key that comes again for each item. If the file,
 * or its lowest source, has such a format, an empty text in a higher list is no item. Programs drop
 * the items before the empty text:
 *
 *      union       an empty text that is first in its list counts as a tag that removes items. A
 *                  list with an empty text further on is an attempt to loosen the value, even if
 *                  the list lacks no item
 *      intersect   a list that would leave no item is an attempt to loosen the value, and removes
 *                  nothing: programs take an empty list for no limit
 *
 * Like locks (value_lock.h), bounds are enforced outside of the strategies. Places are written as
 * for locks. Two different bounds of one value are an error. Of two equal bounds of one value, the
 * first in the option counts. A bound at a place inside a bounded value has no effect.
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
	struct value_lock places; /* of all bounds; its `layer` and `rank` are not set */
	struct value_bound *items;
	size_t count;
};

/**
 * Reads `map`, which maps places to bounds. Refuses two different bounds that can apply to one
 * value. Refuses a bound if one of `locks` (may be NULL) can cover its value. Returns 0 with *ret,
 * which is in `arena` and borrows `map`; PROBLEM; or -ENOMEM.
 */
int value_bounds_read(const struct node *map, const struct value_locks *locks, struct arena *arena,
	struct value_bounds **ret, struct problem *problem);

/** Returns the name of the bound. Static. */
const char *value_bound_name(const struct value_bound *bound);

/**
 * Puts the bounded values into *root, the strategy's result, which may be NULL. Adds the refusals
 * to merge->result. Returns 0, PROBLEM or -errno.
 */
int value_bounds_apply(struct merge *merge, const struct node **root);
