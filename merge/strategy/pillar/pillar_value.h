/*
 * The values of the pillar strategy: how markers (pillar_option.h) are removed from a file, and how
 * two values combine.
 *
 * While a file is being built, its new nodes are open: they may be changed in place. If a marker
 * was removed from an open node, the node is shielded: no other value is combined into it.
 * pillar_seal() makes ordinary nodes of open nodes. So a marker has an effect only in its own file.
 */
#pragma once

#include "limit.h"
#include "node.h"
#include "origin.h"
#include "problem.h"

struct pillar_values {
	struct arena *arena;     /* for nodes */
	struct origins *origins; /* records the decisions; NULL: off */
	struct problem *problem; /* filled when PROBLEM is returned */
	struct limits limits;
	const char *file; /* the file that is being built, for messages */
	uint64_t work;    /* steps so far; see pillar_work() */

	struct node **open; /* the open nodes, the oldest first */
	size_t open_count;

	/* private: */
	struct origin_why why; /* of the values that are being combined */
	size_t open_capacity;
};

/* The bits of node.mark. Nodes of a source, and sealed nodes, have none. */
enum {
	PILLAR_OPEN = 1,     /* made for the file that is being built: may be changed in place */
	PILLAR_SHIELDED = 2, /* had a marker */
};

/** Frees the members. Must be called at the end, also after a failure. */
void pillar_values_fini(struct pillar_values *values);

/**
 * Counts `steps` against the maximum of one merge. A step is one entry, or a fixed number of bytes
 * of text. Returns 0, or PROBLEM above the maximum.
 */
int pillar_work(struct pillar_values *values, size_t steps);

/**
 * Removes the markers in `value`, at any depth. A map or list that had a marker is shielded until
 * pillar_seal(). *ret is `value` itself if there is no marker. Returns 0, PROBLEM or -ENOMEM.
 */
int pillar_strip(struct pillar_values *values, const struct node *value, const struct node **ret);

/**
 * Combines `other` into *value: adds the map keys and list items that *value lacks. A scalar of
 * *value stays. If *value must change and is not open, *value becomes an open copy. `other` is
 * not changed. For origins, `why` is the reason why a scalar of *value stays. Returns 0, PROBLEM or
 * -ENOMEM.
 */
int pillar_combine(struct pillar_values *values, const struct node **value,
	const struct node *other, struct origin_why why);

/**
 * Removes the pair from *map, which becomes an open copy unless it is open. Returns 0 or -ENOMEM.
 */
int pillar_remove(struct pillar_values *values, const struct node **map, const struct pair *pair,
	struct origin_why why);

/**
 * Puts the pair into *map, which becomes an open copy unless it is open. Returns 0, PROBLEM or
 * -ENOMEM.
 */
int pillar_put(struct pillar_values *values, const struct node **map, const struct pair *pair,
	struct origin_why why);

/** Makes ordinary nodes of the nodes that were opened since values->open_count was `since`. */
void pillar_seal(struct pillar_values *values, size_t since);
