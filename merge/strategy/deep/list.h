/*
 * A list while layers are merged into it. It grows at both ends and loses items. It finds an item
 * by its key or by its value in constant time, for any number of layers.
 *
 *      position      -2   -1 | 0    1    2
 *                    front   | back
 *
 * A struct list begins with a node, so that a tree under construction can hold the list like any
 * node. That node has style, tag and place, but no items: only list_at() gives the items.
 */
#pragma once

#include "list_rule.h"
#include "node.h"

#define LIST_NONE UINT32_MAX
#define LIST_NOWHERE INT32_MAX

struct items {
	const struct node **data;
	uint32_t count;
	uint32_t capacity;
};

/* An item in an index, with its key; in the index `values`, with the value to compare it by. */
struct list_entry {
	const struct node *key;
	uint32_t hash;
	uint32_t next;    /* the entry of the next item with an equal key; LIST_NONE: none */
	uint32_t last;    /* in a key's first entry: the key's last entry */
	int32_t position; /* of the item; LIST_NOWHERE: the entry has no place */

	/* Free for the caller, in a key's first entry. A pass merges one list into this one. */
	uint32_t pass;         /* number of the last pass that met the key; 0: none */
	uint32_t following;    /* entry for the next item with the key in that pass */
	const struct node *by; /* the key in the list of that pass */
};

struct list_index {
	struct list_entry *entries;
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots;      /* 0: free; else 1 + a key's first entry. NULL: few entries */
	uint32_t size;        /* slots, a power of two, at most half full */
	uint32_t front_count; /* items of `front` that the index has … */
	uint32_t back_count;  /* … and of `back` */
};

struct list {
	struct node node; /* must be the first member */
	struct arena *arena;
	struct items front; /* in the order in which they came: the last is the list's first */
	struct items back;
	struct list_index keys;
	struct list_index values;
	/* Number of times that `values` was built anew, each in time that grows with the list. */
	uint32_t rebuilds;
};

/**
 * Makes a list with style, tag and place of `like`, and with its items unless `is_empty`. Returns
 * NULL when there is no memory.
 */
struct list *list_new(struct arena *arena, const struct node *like, bool is_empty);

/** Returns the first position. */
int32_t list_begin(const struct list *list);

/** Returns the position after the last one. */
int32_t list_end(const struct list *list);

/** Returns the item, or NULL if it was removed. */
const struct node *list_at(const struct list *list, int32_t position);

/** Sets an item. Call it before the first search: it does not update the indexes. */
void list_set(struct list *list, int32_t position, const struct node *item);

/** Adds an item at the end. Returns 0 or -ENOMEM. */
int list_push_back(struct list *list, const struct node *item);

/** Adds an item at the front. Returns 0 or -ENOMEM. */
int list_push_front(struct list *list, const struct node *item);

/**
 * Finds the first entry of a key, and adds one if the key is new. *ret is its number in
 * list->keys.entries, which never changes. Every call for one list must use the same rule. Returns
 * 0 or -ENOMEM.
 */
int list_find_key(
	struct list *list, const struct list_rule *rule, const struct node *key, uint32_t *ret);

/** Returns the item of that entry, or NULL if there is none. */
const struct node *list_get_key(const struct list *list, uint32_t entry);

/**
 * Sets the item of an entry. The item takes the place of the one that the entry has, or had until
 * list_remove_key(). If the entry has no place, the item goes to the end. Returns 0 or -ENOMEM.
 */
int list_put_key(struct list *list, uint32_t entry, const struct node *item);

/** Removes all items with the key whose first entry is `entry`. That entry keeps its place. */
void list_remove_key(struct list *list, uint32_t entry);

/**
 * Gives the position of an item that list_find_value() does not know yet, for list_add_value().
 * Returns false if list_find_value() knows all items.
 */
bool list_next_value(const struct list *list, int32_t *position);

/**
 * Adds the item at a position that list_next_value() gave. `value` is the value to compare it by;
 * NULL: the item was removed. Returns 0 or -ENOMEM.
 */
int list_add_value(struct list *list, int32_t position, const struct node *value);

/** Returns the added item that is equal to `item`, whose node_hash() is `hash`, or NULL. */
const struct node *list_find_value(const struct list *list, const struct node *item, uint32_t hash);

/**
 * Removes the item at that position. After the last removal, call list_removed(). The next search
 * by a value takes time that grows with the list.
 */
void list_remove_at(struct list *list, int32_t position);

/**
 * Brings the index of keys up to date after list_remove_at(). If all items of a key were removed,
 * its entry loses its place, unlike after list_remove_key(). Takes time that grows with the list.
 */
void list_removed(struct list *list);

/**
 * Appends `item`, whose node_hash() is `hash`. list_find_value() must know all items, and must not
 * find `item`. Returns 0 or -ENOMEM.
 */
int list_push_value(struct list *list, const struct node *item, uint32_t hash);
