/*
 * The values of the pillar strategy: removes markers (pillar_option.h), and combines values.
 *
 * The new nodes of a file that is being built are open: a function may change them in place. If a
 * function has to change any other node, it replaces the node by an open copy. A node that had a
 * marker is shielded: no other value is combined into it. pillar_seal() makes open nodes ordinary.
 */
#pragma once

#include "limit.h"
#include "node.h"
#include "origin.h"
#include "problem.h"

struct pillar_values {
	struct arena *arena;     /* for nodes */
	struct origins *origins; /* for the decisions; NULL: they are not recorded */
	struct problem *problem; /* filled if a function returns PROBLEM */
	struct limits limits;
	const char *file; /* the file that is being built, for messages */
	uint64_t work;    /* number of steps so far (pillar_work()) */

	struct node **open; /* the open nodes, the oldest first */
	size_t open_count;

	/* private: */
	struct origin_why why; /* of the values that are being combined */
	size_t open_capacity;
};

/* The bits of node.mark. Nodes of a source, and sealed nodes, have none. */
enum {
	PILLAR_OPEN = 1,     /* made for the file that is being built */
	PILLAR_SHIELDED = 2, /* had a marker */
};

/** Frees the members. Call it at the end, even after a failure. */
void pillar_values_fini(struct pillar_values *values);

/** Adds `steps` to values->work. Returns 0; or PROBLEM above a limit, which limits.nodes sets. */
int pillar_work(struct pillar_values *values, size_t steps);

/**
 * Removes the markers in `value`, at any depth. A map or list that had a marker is shielded until
 * pillar_seal(). *ret is `value` itself if there is no marker. Returns 0, PROBLEM or -ENOMEM.
 */
int pillar_strip(struct pillar_values *values, const struct node *value, const struct node **ret);

/**
 * Combines `other` into *value: adds the map keys and list items that *value lacks. A scalar in
 * *value stays; the origins record the reason `why`. Returns 0, PROBLEM or -ENOMEM.
 */
int pillar_combine(struct pillar_values *values, const struct node **value,
	const struct node *other, struct origin_why why);

/** Removes the pair from *map. Returns 0 or -ENOMEM. */
int pillar_remove(struct pillar_values *values, const struct node **map, const struct pair *pair,
	struct origin_why why);

/** Puts the pair into *map. Returns 0, PROBLEM or -ENOMEM. */
int pillar_put(struct pillar_values *values, const struct node **map, const struct pair *pair,
	struct origin_why why);

/** Makes the open nodes ordinary nodes, except the `since` oldest ones, which stay open. */
void pillar_seal(struct pillar_values *values, size_t since);
