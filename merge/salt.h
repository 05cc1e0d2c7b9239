/*
 * Salt's aggregation: the vocabulary of salt.utils.aggregation, and its tags in YAML.
 *
 * A map or a list may be marked as an aggregate (Salt's classes Map and Sequence). What two marked
 * values have in common is combined; what is not marked is replaced by the later value:
 *
 *      foo: !aggr-seq [first]          foo: !aggr-seq [first, second]
 *      foo: !aggr-seq [second]   ->
 *      bar: [first]                    bar: [second]
 *      bar: [second]
 *
 * A mark is kept in `mark` of nodes that this module makes. The nodes passed in are not changed
 * (but see salt_aggregate_taken()), and all results live as long as the arena and what they were
 * made from.
 */
#pragma once

#include "node.h"
#include "origin.h"
#include "problem.h"

/* What values are made in. */
struct salt {
	struct arena *arena;     /* for nodes */
	struct origins *origins; /* for what decided (origin.h); NULL: nobody asks */
};

/*
 * A level says in which nestings values are marked before they are combined, marked already or not.
 * One of its members is used up per nesting: first `count`, then `flags`.
 */
struct salt_level {
	uint32_t count;    /* the next nestings that are on; UINT32_MAX: all of them */
	const char *flags; /* then a character per nesting, '1' is on and '0' off; or NULL */
};

#define SALT_LEVEL_FALSE ((struct salt_level){0})
#define SALT_LEVEL_TRUE ((struct salt_level){.count = UINT32_MAX})

/** Salt's levelise(): whether this nesting is on; *subs is what holds for the next one. */
bool salt_levelise(struct salt_level level, struct salt_level *subs);

/**
 * Checks a level as users write it: true, false, a number (so many nestings; a negative one means
 * all, as in Salt), a list of booleans and numbers, or a string of 0 and 1.
 * Returns 0 or PROBLEM.
 */
int salt_level_check(const struct node *value, struct problem *problem);

/** The level that `value`, which salt_level_check() has passed, stands for. 0 or -ENOMEM. */
int salt_level_of(const struct node *value, struct arena *arena, struct salt_level *ret);

/** Whether the value is marked: Salt's isinstance(value, Aggregate). */
bool salt_is_aggregate(const struct node *value);

/** Map(map), Sequence(list) and Scalar(any value) = Sequence([value]). 0 or -ENOMEM. */
int salt_map(const struct salt *salt, const struct node *map, const struct node **ret);
int salt_sequence(const struct salt *salt, const struct node *list, const struct node **ret);
int salt_scalar(const struct salt *salt, const struct node *value, const struct node **ret);

/** An empty Sequence, in the place of `value`: what !aggregate makes of null. 0 or -ENOMEM. */
int salt_nothing(const struct salt *salt, const struct node *value, const struct node **ret);

/** Salt's mark(): a marked value as it is, a map as Map, a list as Sequence, else Scalar. */
int salt_mark(const struct salt *salt, const struct node *value, const struct node **ret);

/* What marked a value; for origins. */
enum salt_reason {
	SALT_REASON_CALL,      /* salt_map() and its like */
	SALT_REASON_ROOT,      /* being a document's root */
	SALT_REASON_KIND,      /* !aggr-map or !aggr-seq */
	SALT_REASON_SCALAR,    /* !aggr-scalar */
	SALT_REASON_AGGREGATE, /* !aggregate */
	SALT_REASON_LEVEL,     /* being in a nesting that is on */
};

/** As salt_mark(), with the reason told. */
int salt_mark_because(const struct salt *salt, const struct node *value, enum salt_reason reason,
	const struct node **ret);

/** Salt's aggregate(): `b` merged into `a`. Returns 0 or -ENOMEM. */
int salt_aggregate(const struct salt *salt, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret);

/**
 * As salt_aggregate(), in time that grows with `b` alone: `a`, `b` and what they hold may be
 * changed where this module made them, so they must not be used any more. Nodes of others stay
 * as they are.
 */
int salt_aggregate_taken(const struct salt *salt, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret);

/**
 * What Salt's yamlex makes of a document that was read with keep_duplicates: tags become marks,
 * the values of a key that comes twice are aggregated, and the root is marked.
 * Returns 0, PROBLEM for a tag on the wrong kind of value, or -ENOMEM.
 */
int salt_construct(const struct salt *salt, const struct node *root, const struct node **ret,
	struct problem *problem);

/**
 * The opposite: marks become the tags !aggr-map and !aggr-seq, so that the value can be written,
 * read and aggregated again. The root gets none: a document's root is marked anyway.
 * Returns 0 or -ENOMEM.
 */
int salt_represent(const struct salt *salt, const struct node *root, const struct node **ret);
