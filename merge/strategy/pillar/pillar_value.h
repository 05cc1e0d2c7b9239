/*
 * The values of the pillar strategy: how markers (pillar_option.h) are removed from a file, and how
 * two values combine. Files and references are not known here; they are in pillar.c.
 *
 * While a file is being built, its new nodes are open: they are changed in place, and record if a
 * marker shields them. pillar_seal() makes them ordinary nodes, so the effect of a marker ends with
 * its file.
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
	uint64_t work;    /* so far; see pillar_work() */

	struct node **open; /* nodes that pillar_seal() will close, oldest first */
	size_t open_count;

	/* private: */
	struct origin_why why; /* of the values that are being combined */
	size_t open_capacity;
};

/* The bits of node.mark. Nodes of a source, and sealed nodes, have none. */
enum {
	PILLAR_OPEN = 1,     /* made for the file that is being built: may be changed in place */
	PILLAR_SHIELDED = 2, /* had a marker: no other value is combined into the node */
};

/** Frees the members. The caller must always call it at the end. */
void pillar_values_fini(struct pillar_values *values);

/**
 * Counts `steps` against the maximum of one merge. Without it, a merge of files that often refer to
 * each other could take hours. A step is one entry, or a fixed number of bytes of text.
 * Returns 0, or PROBLEM above the maximum.
 */
int pillar_work(struct pillar_values *values, size_t steps);

/** Returns the steps that it takes to compare or hash a value. */
size_t pillar_steps(const struct node *node);

/**
 * Removes the markers from `value`, at any depth. A map or list that had a marker is shielded until
 * pillar_seal(). *ret is `value` itself if it has none. Returns 0, PROBLEM or -ENOMEM.
 */
int pillar_strip(struct pillar_values *values, const struct node *value, const struct node **ret);

/**
 * Combines `other` into *value, which takes precedence. If *value must change and is not open, it
 * becomes an open copy. `other` is not changed. `why` is the reason, for origins, why a scalar of
 * *value stays. Returns 0, PROBLEM or -ENOMEM.
 */
int pillar_combine(struct pillar_values *values, const struct node **value,
	const struct node *other, struct origin_why why);

/** Removes the pair from *map, which may become another node. Returns 0 or -ENOMEM. */
int pillar_remove(struct pillar_values *values, const struct node **map, const struct pair *pair,
	struct origin_why why);

/** Sets the key in *map, which may become another node. Returns 0, PROBLEM or -ENOMEM. */
int pillar_put(struct pillar_values *values, const struct node **map, const struct pair *pair,
	struct origin_why why);

/** Closes the nodes that were opened since values->open_count was `since`. */
void pillar_seal(struct pillar_values *values, size_t since);

/* Nodes that are made for the file that is being built: pillar_open.c, pillar_list.c. */

/**
 * Opens *value: makes it a copy with room for `more` items, unless it is open already. A scalar is
 * opened only to record its origins. Returns 0 or -ENOMEM.
 */
int pillar_open(
	struct pillar_values *values, const struct node **value, uint32_t more, struct node **ret);

/**
 * Makes an empty map or list with the place of `like` and the mark `mark`. Returns 0 or -ENOMEM.
 */
int pillar_open_new(
	struct pillar_values *values, const struct node *like, uint8_t mark, struct node **ret);

/**
 * Makes a list like `like`, with its items and room for `more`. Returns NULL when there is no
 * memory.
 */
struct node *pillar_list_new(struct arena *arena, const struct node *like, uint32_t more);

/**
 * Appends `item`, unless the list has an equal one. `list` must be from pillar_list_new(), and no
 * other function may change it. Returns 0, PROBLEM or -ENOMEM.
 */
int pillar_list_add(struct pillar_values *values, struct node *list, const struct node *item);
