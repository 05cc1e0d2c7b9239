/*
 * The key of a list's item. If two layers have items with the same key, the items are merged.
 *
 *      by                                  item                                key
 *      name                                {name: web, image: a}               web
 *      metadata.name                       {metadata: {name: web}}             web
 *      [prefix, location]                  {location: x}                       x
 *      {all: [containerPort, protocol]}    {containerPort: 53, protocol: UDP}  [53, UDP]
 *      {before: "="}                       LOG=info                            LOG
 *      {after: ":"}                        /data:/var:ro                       /var
 *      [{after: ":"}, target]              either of {target: /var}, /var      /var
 *
 * The parameter `by` is the `by` of a rule for lists (list_rule.h): a way to find an item's key, or
 * a list of ways. A way is a name, a path or a map. The first way that finds a key counts.
 */
#pragma once

#include "node.h"
#include "problem.h"

struct item_key {
	/* The key; NULL: none. Compare it by node_equal(). Its text need not end with a NUL. */
	const struct node *value;
	const struct node *way; /* the way in `by` that found the key */
	uint32_t count; /* how many of the item's values make the key; 0: a part of the text */
};

/** Checks the form of `by`. Returns 0, or PROBLEM. */
int item_key_check(const struct node *by, struct problem *problem);

/**
 * Finds the key of `item`. item_key_check() must have accepted `by`. Returns 0 with *ret, which
 * lives as long as the item, `by` and `arena` all do; or -ENOMEM.
 */
int item_key_find(
	const struct node *item, const struct node *by, struct arena *arena, struct item_key *ret);

/**
 * Makes an item that has the key of `item` and nothing else. `item` must have a key. Returns 0 with
 * *ret in `arena`, or -ENOMEM. The caller may change *ret.
 */
int item_key_alone(
	const struct node *item, const struct node *by, struct arena *arena, struct node **ret);

/**
 * Gives the place in `list` of an item that is to be merged with item `index` of `merged`: before
 * the first one that is merged with an item behind that. So several items get the order of
 * `merged`, in whatever order they are added. Items that `merged` has from `list` alone do not
 * count. Without such an item, the place is the end. Returns 0 with *ret, or -ENOMEM.
 */
int item_key_place(const struct node *list, const struct node *merged, uint32_t index,
	const struct node *by, struct arena *arena, uint32_t *ret);

/**
 * Finds the text in front of and behind the first `separator`. If there is no separator, *head is
 * the whole text and tail->data is NULL. Both borrow `text`.
 */
void item_key_split(struct span text, struct span separator, struct span *head, struct span *tail);

/** Returns the TEXT of the first way {before: TEXT} in `by`; NULL: there is none. */
const struct node *item_key_before(const struct node *by);

/** Returns `by` as a user writes it in YAML; NULL when there is no memory. */
const char *item_key_write(const struct node *by, struct arena *arena);

/**
 * Returns the text that stands for `way` in messages. `way` may also be item_key.value. Returns
 * NULL when there is no memory.
 */
const char *item_key_name(const struct node *way, struct arena *arena);
