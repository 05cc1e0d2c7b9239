#include "list.h"

#include <assert.h>
#include <errno.h>

#include "item_key.h"

/* Entries. Up to this number, to compare hashes one by one is as fast as a table. */
#define INDEX_MIN 8

/* Items at each end: positions are signed. */
#define ITEMS_MAX ((uint32_t)INT32_MAX - 1)

struct list *list_new(struct arena *arena, const struct node *like, bool is_empty)
{
	struct list *list = arena_zalloc(arena, 1, sizeof(*list));
	if (!list)
		return NULL;

	list->arena = arena;
	list->node = *like;
	list->node.kind = NODE_SEQUENCE;
	list->node.seq.items = NULL;
	list->node.seq.count = list->node.seq.capacity = 0;
	if (is_empty || like->seq.count == 0)
		return list;

	list->back.data = arena_alloc(arena, like->seq.count * sizeof(*list->back.data));
	if (!list->back.data || like->seq.count > ITEMS_MAX)
		return NULL;
	memcpy(list->back.data, like->seq.items, like->seq.count * sizeof(*list->back.data));
	list->back.count = list->back.capacity = like->seq.count;
	return list;
}

int32_t list_begin(const struct list *list)
{
	return -(int32_t)list->front.count;
}

int32_t list_end(const struct list *list)
{
	return (int32_t)list->back.count;
}

static const struct node **item_at(const struct list *list, int32_t position)
{
	assert(position >= list_begin(list) && position < list_end(list));
	return position < 0 ? &list->front.data[-1 - position] : &list->back.data[position];
}

const struct node *list_at(const struct list *list, int32_t position)
{
	return *item_at(list, position);
}

void list_set(struct list *list, int32_t position, const struct node *item)
{
	*item_at(list, position) = item;
}

int list_push_back(struct list *list, const struct node *item)
{
	return arena_push(
		list->arena, list->back.data, list->back.count, list->back.capacity, item);
}

int list_push_front(struct list *list, const struct node *item)
{
	return arena_push(
		list->arena, list->front.data, list->front.count, list->front.capacity, item);
}

/*
 * Returns the slot that leads to the key, or the free one where it belongs. The index must have
 * slots.
 */
static uint32_t *find_slot(const struct list_index *index, const struct node *key, uint32_t hash)
{
	uint32_t mask = index->size - 1;

	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		uint32_t slot = index->slots[i];
		if (slot == 0)
			return &index->slots[i];

		const struct list_entry *entry = &index->entries[slot - 1];
		if (entry->hash == hash && node_equal(entry->key, key))
			return &index->slots[i];
	}
}

/* Returns the key's first entry, or LIST_NONE. */
static uint32_t find_entry(const struct list_index *index, const struct node *key, uint32_t hash)
{
	if (index->slots)
		return *find_slot(index, key, hash) - 1; /* 0 - 1 is LIST_NONE */

	/* From the start: a key's first entry is its oldest. */
	for (uint32_t i = 0; i < index->count; i++)
		if (index->entries[i].hash == hash && node_equal(index->entries[i].key, key))
			return i;
	return LIST_NONE;
}

static int grow_slots(struct arena *arena, struct list_index *index)
{
	if (index->count < INDEX_MIN || index->count < index->size / 2)
		return 0;

	index->size = index->size > 0 ? index->size * 2 : 4 * INDEX_MIN;
	index->slots = arena_zalloc(arena, index->size, sizeof(*index->slots));
	if (!index->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < index->count; i++) {
		uint32_t *slot = find_slot(index, index->entries[i].key, index->entries[i].hash);
		if (*slot == 0)
			*slot = i + 1;
	}
	return 0;
}

static int add_entry(struct arena *arena, struct list_index *index, const struct node *key,
	uint32_t hash, int32_t position)
{
	if (arena_grow(arena, index->entries, index->count, index->capacity) < 0)
		return -ENOMEM;
	int r = grow_slots(arena, index);
	if (r < 0)
		return r;

	index->entries[index->count] = (struct list_entry){.key = key,
		.hash = hash,
		.next = LIST_NONE,
		.last = index->count,
		.position = position};
	if (index->slots) {
		uint32_t *slot = find_slot(index, key, hash);
		if (*slot == 0)
			*slot = index->count + 1;
	}
	index->count++;
	return 0;
}

/* Links the newest entry to the entries with an equal key; `first` is the first of them. */
static void link_entry(struct list_index *index, uint32_t first)
{
	struct list_entry *head = &index->entries[first];
	struct list_entry *added = &index->entries[index->count - 1];

	if (added->position < 0) {
		/* The new item is in front of all others, so the two entries swap roles. */
		int32_t position = added->position;
		added->position = head->position;
		head->position = position;
		added->next = head->next;
		head->next = index->count - 1;
		if (head->last == first)
			head->last = index->count - 1;
	} else {
		index->entries[head->last].next = index->count - 1;
		head->last = index->count - 1;
	}
}

/* Returns the entry's item, or NULL if it has none, or none any more. */
static const struct node *item_of(const struct list *list, const struct list_entry *entry)
{
	return entry->position == LIST_NOWHERE ? NULL : list_at(list, entry->position);
}

static int index_key(struct list *list, const struct list_rule *rule, int32_t position)
{
	const struct node *item = list_at(list, position);
	struct item_key found = {0};
	int r = item ? item_key_find(item, rule->by, list->arena, &found) : 0;
	if (r < 0 || !found.value)
		return r;

	const struct node *key = found.value;
	uint32_t hash = node_hash(key);
	uint32_t first = find_entry(&list->keys, key, hash);
	if (first != LIST_NONE && !item_of(list, &list->keys.entries[first])) {
		list->keys.entries[first].position = position;
		return 0;
	}
	r = add_entry(list->arena, &list->keys, key, hash, position);
	if (r == 0 && first != LIST_NONE)
		link_entry(&list->keys, first);
	return r;
}

/* Adds the items that came since the last call to the index. */
static int index_keys(struct list *list, const struct list_rule *rule)
{
	struct list_index *index = &list->keys;
	int r = 0;

	for (; r == 0 && index->back_count < list->back.count; index->back_count++)
		r = index_key(list, rule, (int32_t)index->back_count);
	for (; r == 0 && index->front_count < list->front.count; index->front_count++)
		r = index_key(list, rule, -1 - (int32_t)index->front_count);
	return r;
}

int list_find_key(
	struct list *list, const struct list_rule *rule, const struct node *key, uint32_t *ret)
{
	uint32_t hash = node_hash(key);

	int r = index_keys(list, rule);
	if (r < 0)
		return r;
	*ret = find_entry(&list->keys, key, hash);
	if (*ret != LIST_NONE)
		return 0;
	*ret = list->keys.count;
	return add_entry(list->arena, &list->keys, key, hash, LIST_NOWHERE);
}

const struct node *list_get_key(const struct list *list, uint32_t number)
{
	return item_of(list, &list->keys.entries[number]);
}

/* Clears the index of values: it is no longer valid. */
static void forget_values(struct list *list)
{
	if (list->values.back_count == 0 && list->values.front_count == 0)
		return;
	list->values = (struct list_index){0};
	list->rebuilds++;
}

int list_put_key(struct list *list, uint32_t number, const struct node *item)
{
	struct list_entry *entry = &list->keys.entries[number];

	if (entry->position != LIST_NOWHERE) {
		list_set(list, entry->position, item);
		forget_values(list);
		return 0;
	}
	int r = list_push_back(list, item);
	if (r < 0)
		return r;
	entry->position = list_end(list) - 1;
	list->keys.back_count = list->back.count;
	return 0;
}

void list_remove_key(struct list *list, uint32_t number)
{
	struct list_entry *first = &list->keys.entries[number];

	forget_values(list);
	for (uint32_t i = number; i != LIST_NONE; i = list->keys.entries[i].next)
		if (list->keys.entries[i].position != LIST_NOWHERE)
			list_set(list, list->keys.entries[i].position, NULL);
	first->next = LIST_NONE;
	first->last = number;
}

bool list_next_value(const struct list *list, int32_t *position)
{
	if (list->values.back_count < list->back.count) {
		*position = (int32_t)list->values.back_count;
		return true;
	}
	if (list->values.front_count < list->front.count) {
		*position = -1 - (int32_t)list->values.front_count;
		return true;
	}
	return false;
}

int list_add_value(struct list *list, int32_t position, const struct node *value)
{
	if (position < 0)
		list->values.front_count++;
	else
		list->values.back_count++;
	if (!value)
		return 0;

	uint32_t hash = node_hash(value);
	if (find_entry(&list->values, value, hash) != LIST_NONE)
		return 0;
	return add_entry(list->arena, &list->values, value, hash, position);
}

int list_push_value(struct list *list, const struct node *item, uint32_t hash)
{
	int r = list_push_back(list, item);
	if (r < 0)
		return r;
	list->values.back_count = list->back.count;
	return add_entry(list->arena, &list->values, item, hash, list_end(list) - 1);
}

const struct node *list_find_value(const struct list *list, const struct node *item, uint32_t hash)
{
	uint32_t entry = find_entry(&list->values, item, hash);

	return entry == LIST_NONE ? NULL : list->values.entries[entry].key;
}

/* Stands where list_remove_at() has removed an item, until list_removed(). */
static const struct node removed_item = {.kind = NODE_SCALAR};

void list_remove_at(struct list *list, int32_t position)
{
	list_set(list, position, &removed_item);
	list->values = (struct list_index){0};
}

/* Takes the removed items out of the chain of a key, whose first entry is `first`. */
static void unchain_removed(struct list *list, uint32_t first)
{
	struct list_entry *entries = list->keys.entries;
	uint32_t to = LIST_NONE;

	for (uint32_t from = first; from != LIST_NONE; from = entries[from].next) {
		if (item_of(list, &entries[from]) == &removed_item)
			continue;
		to = to == LIST_NONE ? first : entries[to].next;
		entries[to].position = entries[from].position;
	}
	if (to == LIST_NONE) {
		to = first;
		entries[first].position = LIST_NOWHERE;
	}
	entries[to].next = LIST_NONE;
	entries[first].last = to;
}

void list_removed(struct list *list)
{
	const struct list_entry *entries = list->keys.entries;

	for (uint32_t i = 0; i < list->keys.count; i++)
		if (find_entry(&list->keys, entries[i].key, entries[i].hash) == i)
			unchain_removed(list, i);
	for (int32_t i = list_begin(list); i < list_end(list); i++)
		if (list_at(list, i) == &removed_item)
			list_set(list, i, NULL);
}
