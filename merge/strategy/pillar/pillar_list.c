#include "pillar_list.h"

#include <errno.h>

/* Items up to which a list is searched from one end to the other rather than by hash. */
#define LIST_SMALL 8

/* Items: slots are counted in 32 bits, and at most half of them are used. */
#define LIST_MAX (UINT32_C(1) << 29)

/* Where an item of a list is. */
struct slot {
	uint32_t hash;
	uint32_t number; /* of the item, starting at 1; 0: a free slot */
};

/*
 * A list that is open. It remembers its items by their hashes for as long as it is: a list of which
 * a thousand files each add an item must not be hashed a thousand times.
 */
struct open_list {
	struct node node; /* first */
	struct slot *slots;
	uint32_t size;    /* slots, a power of two, at most half of them used; or 0 */
	uint32_t indexed; /* items, from the first: these or their equals have a slot */
};

struct node *pillar_list_new(struct arena *arena, const struct node *like, uint32_t more)
{
	struct open_list *list = arena_zalloc(arena, 1, sizeof(*list));
	size_t capacity = (size_t)like->seq.count + more;
	const struct node **items = arena_alloc(arena, capacity * sizeof(*items));

	if (!list || !items || capacity > UINT32_MAX)
		return NULL;
	if (like->seq.count)
		memcpy(items, like->seq.items, like->seq.count * sizeof(*items));
	list->node = *like;
	list->node.seq.items = items;
	list->node.seq.capacity = (uint32_t)capacity;
	return &list->node;
}

/* The slot of the item, or the one where it belongs. */
static int find_slot(struct pillar_values *values, const struct open_list *list,
	const struct node *item, uint32_t hash, struct slot **ret)
{
	uint32_t mask = list->size - 1;

	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		struct slot *slot = &list->slots[i];
		int r;

		if (!slot->number ||
			(slot->hash == hash &&
				node_equal(list->node.seq.items[slot->number - 1], item))) {
			*ret = slot;
			return 0;
		}
		/* Items that are made to collide cost what they cost, and no more. */
		r = pillar_work(values, 1);
		if (r)
			return r;
	}
}

/* Makes room for all items and one more. */
static int grow_slots(struct pillar_values *values, struct open_list *list)
{
	uint32_t size = list->size ? list->size : 4 * LIST_SMALL, old_size = list->size;
	struct slot *slots, *old = list->slots;

	if (list->node.seq.count > LIST_MAX)
		return -ENOMEM;
	while (size / 2 <= list->node.seq.count)
		size *= 2;
	if (size == old_size)
		return 0;
	slots = arena_zalloc(values->arena, size, sizeof(*slots));
	if (!slots)
		return -ENOMEM;

	/* What has a slot is unlike all others: only a free place is to be found. */
	for (uint32_t i = 0; i < old_size; i++) {
		uint32_t place = old[i].hash & (size - 1);

		if (!old[i].number)
			continue;
		while (slots[place].number)
			place = (place + 1) & (size - 1);
		slots[place] = old[i];
	}
	list->slots = slots;
	list->size = size;
	return 0;
}

/* Gives slots to the items that have none yet. */
static int index_items(struct pillar_values *values, struct open_list *list)
{
	int r = grow_slots(values, list);

	for (; !r && list->indexed < list->node.seq.count; list->indexed++) {
		const struct node *item = list->node.seq.items[list->indexed];
		uint32_t hash;
		struct slot *slot;

		r = pillar_work(values, pillar_steps(item));
		if (r)
			return r;
		hash = node_hash(item);
		r = find_slot(values, list, item, hash, &slot);
		if (!r && !slot->number)
			*slot = (struct slot){hash, list->indexed + 1};
	}
	return r;
}

static bool has_item(const struct node *list, const struct node *item)
{
	for (uint32_t i = 0; i < list->seq.count; i++)
		if (node_equal(list->seq.items[i], item))
			return true;
	return false;
}

int pillar_list_add(struct pillar_values *values, struct node *node, const struct node *item)
{
	struct open_list *list = (struct open_list *)node;
	bool is_small = list->node.seq.count <= LIST_SMALL;
	struct slot *slot;
	uint32_t hash;
	int r;

	r = pillar_work(values, pillar_steps(item) * (is_small ? list->node.seq.count + 1 : 1));
	if (r)
		return r;
	if (is_small)
		return has_item(&list->node, item) ? 0
						   : node_push(values->arena, &list->node, item);

	r = index_items(values, list);
	if (r)
		return r;
	hash = node_hash(item);
	r = find_slot(values, list, item, hash, &slot);
	if (r || slot->number)
		return r;
	r = node_push(values->arena, &list->node, item);
	if (!r)
		*slot = (struct slot){hash, ++list->indexed};
	return r;
}
