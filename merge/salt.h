/*
 * Salt's aggregation, in the terms of salt.utils.aggregation, and its tags in YAML.
 *
 * A map or a list may be marked as an aggregate (Salt's classes Map and Sequence). Two marked maps
 * give a map with the keys of both. Two marked lists give a list with the items of both. If none or
 * one of two maps is marked, the result has the keys of the later one. In each case, the two values
 * of a common key are aggregated by the same rules. Of any other two values, the later one stays.
 *
 *      foo: !aggr-seq [first]          foo: !aggr-seq [first, second]
 *      foo: !aggr-seq [second]   ->
 *      bar: [first]                    bar: [second]
 *      bar: [second]
 *
 * A mark is in the member `mark` of a node. This module marks and changes only nodes that it has
 * made itself, and copies any other node first. A result lives as long as the arena and the nodes
 * that it was made from.
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
 * A level is on at some nesting depths: there, values get a mark before they are combined. The
 * `count` outermost depths are on. Each character of `flags` stands for one of the next depths.
 */
struct salt_level {
	uint32_t count;    /* UINT32_MAX: all depths */
	const char *flags; /* '1': on; '0': off; all further depths are off; NULL: as "" */
};

#define SALT_LEVEL_FALSE ((struct salt_level){0})
#define SALT_LEVEL_TRUE ((struct salt_level){.count = UINT32_MAX})

/**
 * Checks a level as users write it: null, true, false, a number of depths (negative: all), a list
 * of booleans and numbers, or a string of 0 and 1. Returns 0 or PROBLEM.
 */
int salt_level_check(const struct node *value, struct problem *problem);

/** Reads a valid level. *ret lives as long as `value` and `arena`. Returns 0 or -ENOMEM. */
int salt_level_of(const struct node *value, struct arena *arena, struct salt_level *ret);

/** Returns whether the value is marked: Salt's isinstance(value, Aggregate). */
bool salt_is_aggregate(const struct node *value);

/** Replaces `value`, a null with !aggregate, by an empty Sequence, *ret. Returns 0 or -ENOMEM. */
int salt_nothing(const struct salt *salt, const struct node *value, const struct node **ret);

/* The reason of a mark, for origins. */
enum salt_reason {
	SALT_REASON_SEVERAL,   /* the two combined values have different reasons */
	SALT_REASON_ROOT,      /* the value is a document's root */
	SALT_REASON_KIND,      /* !aggr-map or !aggr-seq */
	SALT_REASON_SCALAR,    /* !aggr-scalar */
	SALT_REASON_AGGREGATE, /* !aggregate */
	SALT_REASON_LEVEL,     /* the level is on at the depth of the value */
};

/**
 * Salt's mark(): marks the value. A map becomes a Map, and a list a Sequence. A marked value stays
 * as it is. Any other value becomes a Scalar, a marked list of one item. Returns 0 or -ENOMEM.
 */
int salt_mark(const struct salt *salt, const struct node *value, enum salt_reason reason,
	const struct node **ret);

/**
 * Salt's aggregate(): merges `b` into `a`. May change nodes in both that this module has made, so
 * the caller must not use `a` and `b` afterwards. Returns 0 or -ENOMEM.
 */
int salt_aggregate(const struct salt *salt, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret);

/**
 * Salt's yamlex, for a document that was read with read_options.keep_duplicates: turns tags into
 * marks, aggregates the values of a repeated key, and marks the root. Returns 0, PROBLEM for a tag
 * on the wrong kind of value, or -ENOMEM.
 */
int salt_construct(const struct salt *salt, const struct node *root, const struct node **ret,
	struct problem *problem);
