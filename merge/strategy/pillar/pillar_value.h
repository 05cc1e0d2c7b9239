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

	struct node **open; /* the nodes that pillar_seal() closes, oldest first */
	size_t open_count;

	/* private: */
	struct origin_why why; /* of what is being combined */
	size_t open_capacity;
};

/* The bits of node.mark. Nodes of a source, and nodes that are sealed, have none. */
enum {
	PILLAR_OPEN = 1,     /* made for the file that is being built: may be changed in place */
	PILLAR_SHIELDED = 2, /* a marker stood here: nothing is combined into it */
};

/** The caller ends with it, whatever happened. */
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

/** Closes the nodes that were made since values->open_count was `since`. */
void pillar_seal(struct pillar_values *values, size_t since);

/* The nodes that are made for the file that is being built: pillar_open.c, pillar_list.c. */

/**
 * An open node in the place of *value: itself, or a copy with room for `more` items; a scalar is
 * only opened for what is noted about it. Returns 0 or -ENOMEM.
 */
int pillar_open(
	struct pillar_values *values, const struct node **value, uint32_t more, struct node **ret);

/** A map or list with nothing in it, in the place of `like`, with `mark`. Returns 0 or -ENOMEM. */
int pillar_open_new(
	struct pillar_values *values, const struct node *like, uint8_t mark, struct node **ret);

/** A list like `like`, with its items, and room for `more`. NULL when there is no memory. */
struct node *pillar_list_new(struct arena *arena, const struct node *like, uint32_t more);

/**
 * Puts `item` at the end, unless the list has an equal one. `list` is from pillar_list_new() and
 * not changed by anybody else. Returns 0, PROBLEM or -ENOMEM.
 */
int pillar_list_add(struct pillar_values *values, struct node *list, const struct node *item);
