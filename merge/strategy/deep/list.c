#include "list.h"

#include <assert.h>
#include <errno.h>

#include "item_key.h"

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

static const struct pair *find(
	const struct list_index *index, const struct node *key, uint32_t hash)
{
	return index->map ? node_find_hashed(index->map, key, hash) : NULL;
}

static int add(struct arena *arena, struct list_index *index, const struct node *key, uint32_t hash)
{
	if (!index->map)
		index->map = node_new_map(arena, NULL);
	return index->map ? node_append(arena, index->map, &(struct pair){key, key, hash})
			  : -ENOMEM;
}

/* Returns the key's first entry, or LIST_NONE. */
static uint32_t find_entry(const struct list *list, const struct node *key, uint32_t hash)
{
	const struct pair *pair = find(&list->keys, key, hash);

	return pair ? list->firsts[pair - list->keys.map->map.pairs] : LIST_NONE;
}

static int add_entry(struct list *list, int32_t position)
{
	const struct list_entry entry = {
		.next = LIST_NONE, .last = list->entry_count, .position = position};

	return arena_push(
		list->arena, list->entries, list->entry_count, list->entry_capacity, entry);
}

/* Adds the first entry of a key. */
static int add_first(struct list *list, const struct node *key, uint32_t hash, int32_t position)
{
	uint32_t count = list->keys.map ? list->keys.map->map.count : 0;

	if (arena_grow(list->arena, list->firsts, count, list->first_capacity) < 0 ||
		add(list->arena, &list->keys, key, hash) < 0)
		return -ENOMEM;
	list->firsts[count] = list->entry_count;
	return add_entry(list, position);
}

/* Links the newest entry to the entries with an equal key; `first` is the first of them. */
static void link_entry(struct list *list, uint32_t first)
{
	uint32_t number = list->entry_count - 1;
	struct list_entry *head = &list->entries[first], *added = &list->entries[number];

	if (added->position < 0) {
		/* The new item is in front of all others, so the two entries swap roles. */
		int32_t position = added->position;
		added->position = head->position;
		head->position = position;
		added->next = head->next;
		head->next = number;
		if (head->last == first)
			head->last = number;
	} else {
		list->entries[head->last].next = number;
		head->last = number;
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
	uint32_t first = find_entry(list, key, hash);
	if (first == LIST_NONE)
		return add_first(list, key, hash, position);
	if (!item_of(list, &list->entries[first])) {
		list->entries[first].position = position;
		return 0;
	}
	r = add_entry(list, position);
	if (r == 0)
		link_entry(list, first);
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
	*ret = find_entry(list, key, hash);
	if (*ret != LIST_NONE)
		return 0;
	*ret = list->entry_count;
	return add_first(list, key, hash, LIST_NOWHERE);
}

const struct node *list_get_key(const struct list *list, uint32_t number)
{
	return item_of(list, &list->entries[number]);
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
	struct list_entry *entry = &list->entries[number];

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
	struct list_entry *first = &list->entries[number];

	forget_values(list);
	for (uint32_t i = number; i != LIST_NONE; i = list->entries[i].next)
		if (list->entries[i].position != LIST_NOWHERE)
			list_set(list, list->entries[i].position, NULL);
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
	return find(&list->values, value, hash) ? 0 : add(list->arena, &list->values, value, hash);
}

int list_push_value(struct list *list, const struct node *item, uint32_t hash)
{
	int r = list_push_back(list, item);
	if (r < 0)
		return r;
	list->values.back_count = list->back.count;
	return add(list->arena, &list->values, item, hash);
}

const struct node *list_find_value(const struct list *list, const struct node *item, uint32_t hash)
{
	const struct pair *pair = find(&list->values, item, hash);

	return pair ? pair->key : NULL;
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
	struct list_entry *entries = list->entries;
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
	for (uint32_t i = 0; list->keys.map && i < list->keys.map->map.count; i++)
		unchain_removed(list, list->firsts[i]);
	for (int32_t i = list_begin(list); i < list_end(list); i++)
		if (list_at(list, i) == &removed_item)
			list_set(list, i, NULL);
}
