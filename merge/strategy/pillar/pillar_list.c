#include "pillar_value.h"

#include <errno.h>

/*
 * A list that is open. It keeps the hashes of its items while it is open: if a thousand files each
 * add an item, the list must not be hashed a thousand times.
 */
struct open_list {
	struct node node;  /* must be the first member */
	struct node *seen; /* the items as keys, equal ones once; NULL: none yet */
	uint32_t indexed;  /* number of the first items that are in `seen` */
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

/* Adds the item, whose hash is known, to `seen`. *is_new: it had no equal. */
static int see(
	struct pillar_values *values, struct open_list *list, const struct pair *item, bool *is_new)
{
	*is_new = !node_find_hashed(list->seen, item->key, item->hash);
	return *is_new ? node_append(values->arena, list->seen, item) : 0;
}

/* Adds the items that are not in `seen` yet. */
static int index_items(struct pillar_values *values, struct open_list *list)
{
	bool is_new;
	int r = 0;

	if (!list->seen)
		list->seen = node_new_map(values->arena, NULL);
	if (!list->seen)
		return -ENOMEM;
	for (; r == 0 && list->indexed < list->node.seq.count; list->indexed++) {
		const struct node *item = list->node.seq.items[list->indexed];

		r = pillar_work(values, pillar_steps(item));
		if (r == 0)
			r = see(values, list, &(struct pair){item, item, node_hash(item)}, &is_new);
	}
	return r;
}

int pillar_list_add(struct pillar_values *values, struct node *node, const struct node *item)
{
	struct open_list *list = (struct open_list *)node;
	bool is_new = false;
	int r = pillar_work(values, pillar_steps(item));

	if (!r)
		r = index_items(values, list);
	if (!r)
		r = see(values, list, &(struct pair){item, item, node_hash(item)}, &is_new);
	if (r || !is_new)
		return r;
	list->indexed++;
	return node_push(values->arena, &list->node, item);
}
