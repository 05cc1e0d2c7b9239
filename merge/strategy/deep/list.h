/*
 * A list while layers are merged into it: it grows at both ends, loses items, and finds an item by
 * its key or by its value in constant time, however many layers come.
 *
 *      position      -2   -1 | 0    1    2
 *                    front   | back
 *
 * It begins with a node, so that a tree under construction can hold it in the place of a list.
 * That node gives style, tag and place, but no items: they are read with list_at().
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

/* A key, or a value, that items have. */
struct list_entry {
	const struct node *key;
	uint32_t hash;
	uint32_t next;    /* the entry of the next item with an equal key; LIST_NONE */
	uint32_t last;    /* in a key's first entry: its last one */
	int32_t position; /* LIST_NOWHERE: no item has had the key yet */

	/* For the caller, 0 at first, in a key's first entry: in which pass the key was written, and by
	 * which item, and the entry of the next item with it. */
	uint32_t pass;
	uint32_t following;
	const struct node *by;
};

struct list_index {
	struct list_entry *entries;
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots;      /* 0: free; else 1 + a key's first entry. NULL: few entries */
	uint32_t size;        /* slots, a power of two, at most half full */
	uint32_t front_count; /* items that have been looked at */
	uint32_t back_count;
};

struct list {
	struct node node; /* first */
	struct arena *arena;
	struct items front; /* in the order in which they came: the last is the list's first */
	struct items back;
	struct list_index keys;
	struct list_index values;
	uint32_t
		rebuilds; /* of `values`, from the start; each costs as much as the list is large */
};

/** A list with style, tag and place of `like`, and its items unless `is_empty`. NULL: no memory. */
struct list *list_new(struct arena *arena, const struct node *like, bool is_empty);

/** The positions, from list_begin() to before list_end(). */
int32_t list_begin(const struct list *list);
int32_t list_end(const struct list *list);

/** The item, or NULL when it was removed. */
const struct node *list_at(const struct list *list, int32_t position);

/** Sets an item of a list that has not been searched. */
void list_set(struct list *list, int32_t position, const struct node *item);

/** Return 0 or -ENOMEM. */
int list_push_back(struct list *list, const struct node *item);
int list_push_front(struct list *list, const struct node *item);

/**
 * Finds the entry of a key, adding one when it is new: its number in list->keys.entries, which
 * stays the same. The entry leads to the first of several items with that key. One list is always
 * asked with the same rule. Returns 0 or -ENOMEM.
 */
int list_find_key(
	struct list *list, const struct list_rule *rule, const struct node *key, uint32_t *ret);

/** The item of that entry, or NULL when there is none. */
const struct node *list_get_key(const struct list *list, uint32_t entry);

/**
 * Gives an entry its item: in the place of the one it has, or had before it was removed, else at
 * the end. Returns 0 or -ENOMEM.
 */
int list_put_key(struct list *list, uint32_t entry, const struct node *item);

/** Removes all items with that key. */
void list_remove_key(struct list *list, uint32_t entry);

/**
 * A position whose item list_find_value() does not know yet, for list_add_value(); false when it
 * knows all of them.
 */
bool list_next_value(const struct list *list, int32_t *position);

/**
 * Makes the item at the position known that list_next_value() has given: `value` is what it is
 * equal to, or NULL if it was removed. Returns 0 or -ENOMEM.
 */
int list_add_value(struct list *list, int32_t position, const struct node *value);

/** Whether an item that has been added is equal to `item`, whose node_hash() is `hash`. */
bool list_has_value(const struct list *list, const struct node *item, uint32_t hash);

/**
 * Appends `item`, whose node_hash() is `hash` and which list_has_value() does not find though it
 * knows all items. Returns 0 or -ENOMEM.
 */
int list_push_value(struct list *list, const struct node *item, uint32_t hash);
