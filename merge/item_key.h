/*
 * The key of an item: what identifies an item of a list, so that layers can merge it.
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
 * A list has ways to find the key: the first one by which the item has a key counts.
 */
#pragma once

#include "node.h"
#include "problem.h"

struct item_key {
	/* To be compared by node_equal(); its text may go on. NULL: the item has no key. */
	const struct node *value;
	const struct node *way; /* in `by`, the way that counted */
	uint32_t count;         /* values in the item that the key is made of; 0: its text */
};

/** Checks `by`. Returns 0, or PROBLEM. */
int item_key_check(const struct node *by, struct problem *problem);

/**
 * Finds the key of `item`. `by` is checked. Returns 0 with *ret, which lives as long as the item,
 * `by` and `arena`; or -ENOMEM.
 */
int item_key_find(
	const struct node *item, const struct node *by, struct arena *arena, struct item_key *ret);

/**
 * Makes an item that has nothing but the key of `item`, which has one. Returns 0 with *ret, which
 * the caller may change, or -ENOMEM.
 */
int item_key_alone(
	const struct node *item, const struct node *by, struct arena *arena, struct node **ret);

/**
 * Finds the text in front of and behind the first `separator`. Without one, *head is the whole text
 * and tail->data is NULL. They borrow the text.
 */
void item_key_split(struct span text, struct span separator, struct span *head, struct span *tail);

/** Returns the separator of {before: TEXT} in `by`, or NULL: `by` has none. */
const struct node *item_key_before(const struct node *by);

/** Names `by`, or one of its ways, as it is written. Returns NULL when there is no memory. */
const char *item_key_write(const struct node *by, struct arena *arena);

/** Names a way, or a key's value, in a message. Returns NULL when there is no memory. */
const char *item_key_name(const struct node *way, struct arena *arena);
