#include <errno.h>

#include "deep.h"

/* Values that are compared before the budget is asked, which is a system call. Few values may take
 * long, as aliases can make thousands of items of one long text. */
#define COMPARED_UNASKED 64

/* The value of a removed pair. */
static const struct node gone = {.kind = NODE_SCALAR, .weight = 1};

/*
 * Bounds the memory that small hostile sources can use. An alias costs nothing until a directive in
 * it, or a merge into it, requires a copy at each use.
 */
int deep_spend(struct deep *deep, const struct node *at, uint64_t entries)
{
	deep->made += entries;
	if (deep->made <= deep->allowed)
		return 0;
	return problem_at(deep->merge->problem, at,
		"merging makes too many values out of aliases; raise the limit 'nodes'");
}

int deep_compares(struct deep *deep)
{
	bool is_time_to_ask = ++deep->compared % COMPARED_UNASKED == 0;

	return is_time_to_ask && budget_is_spent(arena_budget(deep->merge->arena)) ? -ENOMEM : 0;
}

int deep_enter(struct deep *deep, const struct node *collection)
{
	unsigned limit = deep->merge->request->limits.depth;

	if (++deep->depth <= limit)
		return 0;
	return problem_at(deep->merge->problem, collection,
		"more than %u maps and lists in each other; raise the limit 'depth'", limit);
}

void deep_leave(struct deep *deep)
{
	deep->depth--;
}

int deep_own(struct deep *deep, const struct node *node, struct node **ret)
{
	if (node->mark == OWNED) {
		*ret = (struct node *)node; /* we made it, and have not given it away */
		return 0;
	}
	int r = deep_spend(deep, node, 1 + (uint64_t)node_count(node));
	if (r != 0)
		return r;
	/* The list's node is its first member. */
	struct node *copy = node_is_map(node) ? node_copy(deep->merge->arena, node)
					      : (struct node *)list_new(deep->scratch, node, false);
	if (!copy)
		return -ENOMEM;
	copy->mark = OWNED;
	origin_move(deep->origins, node, copy);
	*ret = copy;
	return 0;
}

int deep_own_list(struct deep *deep, const struct node *seq, struct list **ret)
{
	struct node *node;
	int r = deep_own(deep, seq, &node);

	if (r == 0)
		*ret = (struct list *)node;
	return r;
}

void deep_set(struct node *map, size_t number, const struct node *value)
{
	map->map.pairs[number].value = value ? value : &gone;
}

const struct node *deep_value(const struct pair *pair)
{
	return pair->value != &gone ? pair->value : NULL;
}

void deep_widen(struct node *result, const struct node *value)
{
	if (value->style == NODE_HEADER ||
		(value->style == NODE_BLOCK && result->style != NODE_HEADER))
		result->style = value->style;
}

int deep_drop_removed(
	struct arena *arena, struct origins *origins, struct node *map, struct node **ret)
{
	uint32_t count = map->map.count, i = 0;

	while (i < count && deep_value(&map->map.pairs[i]))
		i++;
	if (i == count) {
		*ret = map;
		return 0;
	}
	struct node *rest = node_new_map(arena, map);
	if (!rest)
		return -ENOMEM;
	rest->mark = map->mark;
	for (i = 0; i < count; i++) {
		if (!deep_value(&map->map.pairs[i]))
			continue;
		int r = node_append(arena, rest, &map->map.pairs[i]);
		if (r < 0)
			return r;
	}
	origin_move(origins, map, rest);
	*ret = rest;
	return 0;
}

/* How to seal a tree: allocate in `arena`. */
struct seal {
	struct arena *arena;
	struct origins *origins; /* NULL if the sealed tree is not part of the result */
	struct arena *copies;    /* for copies of the maps; NULL: the maps themselves change */
};

static int seal(const struct seal *how, const struct node *node, const struct node **ret);

static int seal_map(const struct seal *how, struct node *map, const struct node **ret)
{
	struct node *rest;

	if (how->copies) {
		map = node_copy(how->copies, map);
		if (!map)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < map->map.count; i++) {
		int r = seal(how, map->map.pairs[i].value, &map->map.pairs[i].value);
		if (r < 0)
			return r;
	}
	map->mark = 0;
	int r = deep_drop_removed(how->arena, how->origins, map, &rest);
	if (r < 0)
		return r;
	node_weigh(rest);
	*ret = rest;
	return 0;
}

static int seal_list(const struct seal *how, const struct list *list, const struct node **ret)
{
	uint32_t count = (uint32_t)(list_end(list) - list_begin(list));

	struct node *seq = node_new_sequence(how->arena, &list->node);
	if (!seq)
		return -ENOMEM;
	seq->seq.items = arena_alloc(how->arena, count * sizeof(*seq->seq.items));
	if (!seq->seq.items)
		return -ENOMEM;
	seq->seq.capacity = count;

	for (int32_t i = list_begin(list); i < list_end(list); i++) {
		const struct node *item = list_at(list, i);
		if (!item)
			continue;
		int r = seal(how, item, &item);
		if (r == 0)
			r = node_push(how->arena, seq, item);
		if (r < 0)
			return r;
	}
	origin_move(how->origins, &list->node, seq);
	*ret = seq;
	return 0;
}

static int seal(const struct seal *how, const struct node *node, const struct node **ret)
{
	if (node->mark != OWNED) {
		*ret = node;
		return 0;
	}
	if (node_is_map(node))
		return seal_map(how, (struct node *)node, ret);
	return seal_list(how, (const struct list *)node, ret);
}

int deep_seal(struct deep *deep, const struct node *node, const struct node **ret)
{
	const struct seal how = {.arena = deep->merge->arena, .origins = deep->origins};

	return seal(&how, node, ret);
}

int deep_let_go(struct deep *deep, const struct node *node, const struct node **ret)
{
	if (deep->origins && node)
		return deep_seal(deep, node, ret);
	*ret = node;
	return 0;
}

int deep_picture(struct deep *deep, const struct node *node, const struct node **ret)
{
	const struct seal how = {.arena = deep->scratch, .copies = deep->scratch};

	return seal(&how, node, ret);
}
