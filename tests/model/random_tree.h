/*
 * Random trees for models: small, so that keys, kinds and values collide often, and the same for
 * the same seed on every machine.
 */
#pragma once

#include "node.h"

struct random {
	uint64_t state; /* the seed, before the first number */
};

/** A number below `end`, which is at least 1. */
uint32_t random_below(struct random *random, uint32_t end);

/** True in `percent` of 100 cases. */
bool random_chance(struct random *random, unsigned percent);

/* The values of a tree. Lists of words end with NULL; a word in them may stand there twice. */
struct random_tree_shape {
	unsigned depth;             /* maps and lists in each other, at most */
	unsigned width;             /* entries of one, at most */
	unsigned scalar_percent;    /* of the values in maps */
	unsigned list_percent;      /* of those that are no scalars */
	unsigned flow_percent;      /* of maps and lists are written on one line */
	const char *const *keys;    /* plain text */
	const char *const *scalars; /* plain text; "" is the empty one, '"…' a quoted one */

	/* NULL: none of them. */
	const char *const *tags;       /* of any value */
	const char *const *list_tags;  /* of lists */
	const char *const *value_tags; /* of scalars in lists, mostly in those with a list tag */
	const char *const *empty_tags; /* of empty scalars, and of items with the item key alone */
	unsigned tag_percent;          /* of the values that have a tag */
	unsigned stray_percent;        /* of these, with a tag for another kind */

	/* The first key of most maps in lists, with another value in each; NULL: none. */
	const char *item_key;
	const char *item_up; /* the key is in a map at this key; NULL: it is not */
	bool has_text_items; /* "1.x" in place of {ITEM_KEY: 1, …} */
};

/** Returns a tree. Most roots are maps. NULL: no memory. */
const struct node *random_tree(
	struct arena *arena, struct random *random, const struct random_tree_shape *shape);

/**
 * Whether the trees have the same kinds, keys in the same order, and at each place nodes that
 * `is_same` takes for the same. NULL is the same as NULL alone.
 */
bool random_tree_is_same(const struct node *a, const struct node *b,
	bool (*is_same)(const struct node *a, const struct node *b));
