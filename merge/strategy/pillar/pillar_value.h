/*
 * The values of the pillar strategy: how markers are taken out of a file, and how two values
 * combine. Knows nothing of files and references; those are pillar.c.
 *
 * While a file is being built, the nodes made for it are open: they are changed in place, and they
 * remember whether a marker shields them. pillar_seal() ends that: from then on they are like any
 * other node, so that what a marker does ends with its file.
 */
#pragma once

#include "limit.h"
#include "node.h"
#include "origin.h"
#include "problem.h"

struct pillar_values {
	struct arena *arena;     /* for nodes */
	struct origins *origins; /* for what decided; NULL: nobody asks */
	struct problem *problem; /* filled when PROBLEM is returned */
	struct limits limits;
	const char *file; /* the one that is being built, for messages */
	uint64_t work;    /* done so far; see pillar_work() */

	/* private: */
	struct origin_why why; /* of what is being combined */
	struct node **open;    /* the nodes that pillar_seal() closes, oldest first */
	size_t open_count;
	size_t open_capacity;
};

/** `origins` may be NULL. The caller ends with pillar_values_fini(), whatever happened. */
void pillar_values_init(struct pillar_values *values, struct arena *arena, struct origins *origins,
	const struct limits *limits, struct problem *problem);
void pillar_values_fini(struct pillar_values *values);

/**
 * Counts `steps` against what one merge may cost: files of ordinary size that refer to each other
 * often enough could keep it busy for hours. A step is an entry that is looked at, or so many bytes
 * of text. Returns 0 or PROBLEM.
 */
int pillar_work(struct pillar_values *values, size_t steps);

/** The steps that it takes to compare or hash a value. */
size_t pillar_steps(const struct node *node);

/**
 * `value` without markers at any depth; what a marker stood in is shielded until pillar_seal().
 * *ret is `value` itself where it has none. Returns 0, PROBLEM or -ENOMEM.
 */
int pillar_strip(struct pillar_values *values, const struct node *value, const struct node **ret);

/**
 * Combines `other` into *value, which takes precedence and becomes another node where it must
 * change. `other` stays as it is. `why` is why a scalar of *value stays. Returns 0, PROBLEM or
 * -ENOMEM.
 */
int pillar_combine(struct pillar_values *values, const struct node **value,
	const struct node *other, struct origin_why why);

/** Removes the pair from *map, as pillar_combine() changes a value. Returns 0 or -ENOMEM. */
int pillar_remove(struct pillar_values *values, const struct node **map, const struct pair *pair,
	struct origin_why why);

/** Sets the key in *map, as pillar_combine() changes a value. Returns 0, PROBLEM or -ENOMEM. */
int pillar_put(struct pillar_values *values, const struct node **map, const struct pair *pair,
	struct origin_why why);

/** How many nodes are open; for pillar_seal(). */
size_t pillar_open_count(const struct pillar_values *values);

/** Closes the nodes that were made since pillar_open_count() gave `since`. */
void pillar_seal(struct pillar_values *values, size_t since);
