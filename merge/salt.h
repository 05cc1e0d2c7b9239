/*
 * Salt's aggregation, in the terms of salt.utils.aggregation, and its tags in YAML.
 *
 * A map or a list may be marked as an aggregate (Salt's classes Map and Sequence). Two marked maps
 * give a map with the keys of both, and two marked lists a list with the items of both. Of two maps
 * that are not both marked, the result has only the keys of the later one. In every pair of maps,
 * the two values of a common key are aggregated by the same rules. Of any other two values, the
 * later one replaces the earlier one.
 *
 *      foo: !aggr-seq [first]          foo: !aggr-seq [first, second]
 *      foo: !aggr-seq [second]   ->
 *      bar: [first]                    bar: [second]
 *      bar: [second]
 *
 * Marks are stored in `mark` of nodes that this module makes. It never changes other nodes. A
 * result is valid while both the arena and the nodes that it was made from live.
 */
#pragma once

#include "node.h"
#include "origin.h"
#include "problem.h"

/* The context in which values are made. */
struct salt {
	struct arena *arena;     /* for new nodes */
	struct origins *origins; /* records the decisions (origin.h); NULL: off */
};

/*
 * A level is on at some nesting depths, and off at the others. Where it is on, values get a mark
 * before they are combined. It is on at the `count` outermost depths. The characters of `flags` are
 * for the depths below these, one character for each depth.
 */
struct salt_level {
	uint32_t count;    /* UINT32_MAX: all depths */
	const char *flags; /* '1': on; '0': off. The depths after the last character are off.
			    * NULL: no characters */
};

#define SALT_LEVEL_FALSE ((struct salt_level){0})
#define SALT_LEVEL_TRUE ((struct salt_level){.count = UINT32_MAX})

/**
 * Salt's levelise(): returns whether the level is on at the outermost depth. Sets *subs to the
 * level that holds from the next depth on.
 */
bool salt_levelise(struct salt_level level, struct salt_level *subs);

/**
 * Checks a level as users write it: null, true, false, a number of depths (a negative number means
 * all, as in Salt), a list of booleans and numbers, or a string of 0 and 1. Returns 0 or PROBLEM.
 */
int salt_level_check(const struct node *value, struct problem *problem);

/**
 * Reads the level from `value`, which salt_level_check() has accepted. *ret lives as long as
 * `value` and `arena` both do. Returns 0 or -ENOMEM.
 */
int salt_level_of(const struct node *value, struct arena *arena, struct salt_level *ret);

/** Returns whether the value is marked: Salt's isinstance(value, Aggregate). */
bool salt_is_aggregate(const struct node *value);

/** Makes the empty Sequence that replaces `value`, an !aggregate null. Returns 0 or -ENOMEM. */
int salt_nothing(const struct salt *salt, const struct node *value, const struct node **ret);

/* The reason of a mark; for origins. */
enum salt_reason {
	SALT_REASON_SEVERAL,   /* the two values that are combined have different reasons */
	SALT_REASON_ROOT,      /* the value is a document's root */
	SALT_REASON_KIND,      /* !aggr-map or !aggr-seq */
	SALT_REASON_SCALAR,    /* !aggr-scalar */
	SALT_REASON_AGGREGATE, /* !aggregate */
	SALT_REASON_LEVEL,     /* the level is on at the depth of the value */
};

/**
 * Salt's mark(): marks the value. *ret is `value` itself if it is marked already. A map becomes a
 * Map, a list a Sequence, and any other value a Scalar, which is a marked list of one item. Returns
 * 0 or -ENOMEM.
 */
int salt_mark(const struct salt *salt, const struct node *value, enum salt_reason reason,
	const struct node **ret);

/**
 * Salt's aggregate(): merges `b` into `a`, in time that grows with `b` alone. Changes nodes of both
 * if this module made them, so the caller must not use `a` and `b` after the call. Returns 0 or
 * -ENOMEM.
 */
int salt_aggregate(const struct salt *salt, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret);

/**
 * Does the work of Salt's yamlex on a document that was read with read_options.keep_duplicates:
 * tags become marks, the values of a repeated key are aggregated, and the root is marked. Returns
 * 0, PROBLEM for a tag on the wrong kind of value, or -ENOMEM.
 */
int salt_construct(const struct salt *salt, const struct node *root, const struct node **ret,
	struct problem *problem);

/**
 * The opposite of salt_construct(): turns marks into the tags !aggr-map and !aggr-seq, so that the
 * value can be written, read and aggregated again. The root gets no tag, because salt_construct()
 * marks every root. Returns 0 or -ENOMEM.
 */
int salt_represent(const struct salt *salt, const struct node *root, const struct node **ret);
