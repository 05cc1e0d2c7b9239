/*
 * A list into which the lists of layers are merged. It can grow at both ends and lose items. A
 * search for an item, by its key or by its value, takes constant time.
 *
 *      position      -2   -1 | 0    1    2
 *                    front   | back
 *
 * A tree under construction refers to a list by the member `node`. This node has a style, a tag and
 * a place, but no items: use list_at().
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

/* An item in the index of keys. Items with equal keys form a chain, in their order. */
struct list_entry {
	uint32_t next;    /* the entry of the next item with an equal key; LIST_NONE: none */
	uint32_t last;    /* only in a key's first entry: the key's last entry */
	int32_t position; /* of the item; LIST_NOWHERE: none */

	/* For the caller, only in a key's first entry. A pass merges the list of one layer. */
	uint32_t pass;         /* number of the last pass that met the key; 0: none */
	uint32_t following;    /* the entry for the pass's next item with the key; or LIST_NONE */
	const struct node *by; /* the key as the layer's list has it */
};

/* Finds items by their keys or values. */
struct list_index {
	struct node *map;     /* has each key or value as a key; NULL: none yet */
	uint32_t front_count; /* number of items of list->front that were added to the index */
	uint32_t back_count;  /* the same, of list->back */
};

struct list {
	struct node node; /* must be the first member */
	struct arena *arena;
	struct items front; /* the newest is last here, and first in the list */
	struct items back;
	struct list_index keys, values;
	struct list_entry *entries; /* of `keys` */
	uint32_t entry_count;
	uint32_t entry_capacity;
	uint32_t *firsts; /* for each key in keys.map: the index of its first entry in `entries` */
	uint32_t first_capacity;
	uint32_t rebuilds; /* number of times that a change by key has emptied `values` */
};

/** Makes a list from `like`, without its items if `is_empty`. Returns NULL if memory is short. */
struct list *list_new(struct arena *arena, const struct node *like, bool is_empty);

/* The first position, and the position behind the last one. */
int32_t list_begin(const struct list *list);
int32_t list_end(const struct list *list);

/** Returns the item, or NULL if it was removed. */
const struct node *list_at(const struct list *list, int32_t position);

/** Sets an item. Call it only before the first search, as the indexes are not updated. */
void list_set(struct list *list, int32_t position, const struct node *item);

/* Add an item at the end, and at the front. Both return 0 or -ENOMEM. */
int list_push_back(struct list *list, const struct node *item);
int list_push_front(struct list *list, const struct node *item);

/**
 * Finds a key's first entry, or adds an entry. *ret becomes the entry's index in list->entries, and
 * this index never changes. All calls for one list must have the same rule. Returns 0 or -ENOMEM.
 */
int list_find_key(
	struct list *list, const struct list_rule *rule, const struct node *key, uint32_t *ret);

/** Returns the item of the entry; NULL: there is none. */
const struct node *list_get_key(const struct list *list, uint32_t entry);

/** Sets the item at an entry's position; without a position, appends it. Returns 0 or -ENOMEM. */
int list_put_key(struct list *list, uint32_t entry, const struct node *item);

/** Removes all items of a key. `entry` is the key's first entry; the entry keeps its position. */
void list_remove_key(struct list *list, uint32_t entry);

/**
 * Sets *position to the position of an item that is not in the index `values` yet, for
 * list_add_value(). Returns false if all items are in the index.
 */
bool list_next_value(const struct list *list, int32_t *position);

/**
 * Adds an item to the index `values`. `position` is from list_next_value(). `value` is the item as
 * an ordinary tree (deep_picture() in deep.h); NULL: the item was removed. Returns 0 or -ENOMEM.
 */
int list_add_value(struct list *list, int32_t position, const struct node *value);

/** Returns the value in the index `values` that equals `item`, or NULL. `hash`: node_hash(item). */
const struct node *list_find_value(const struct list *list, const struct node *item, uint32_t hash);

/**
 * Marks the item at `position` as removed, and empties the index `values`. After the last of these
 * calls, the caller must call list_removed().
 */
void list_remove_at(struct list *list, int32_t position);

/**
 * Removes the items that list_remove_at() has marked. If no item of a key is left, the key's entry
 * loses its position. Takes O(items).
 */
void list_removed(struct list *list);

/**
 * Appends `item`, whose node_hash() is `hash`. All items must be in the index `values`, and none
 * may equal `item`. Returns 0 or -ENOMEM.
 */
int list_push_value(struct list *list, const struct node *item, uint32_t hash);
