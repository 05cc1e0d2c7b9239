/*
 * Salt copies a value each time that something is merged into it. With a key that comes 100,000
 * times that would be 100,000 copies, each longer than the one before. So what this module makes is
 * marked as owned, and salt_aggregate_taken() goes on with it instead of with a copy of it.
 *
 * Depth: every recursion goes down two trees at once. They came from readers, which bound their
 * depth, and marking a scalar adds one to it and no more.
 */
#include "salt.h"

#include <assert.h>
#include <errno.h>

#include "scalar.h"

/* Bits of node.mark. */
enum {
	MARK_AGGREGATE = 1,
	MARK_OWNED = 2, /* made by own() or own_list(), which alone set it */
};

/* Comparisons of items that cost no more than hashing does. */
#define COMPARE_MAX 16

/* An owned sequence. */
struct owned_list {
	struct node node;
	struct node *seen; /* its items as keys, so that each is found by hash; or NULL: none yet */
	uint32_t seen_count; /* the first items, which are in `seen` */
};

struct run {
	struct arena *arena;
	bool in_place; /* owned nodes may be changed */
};

bool salt_levelise(struct salt_level level, struct salt_level *subs)
{
	bool is_on;

	*subs = level;
	if (level.count > 0) {
		if (level.count < UINT32_MAX)
			subs->count--;
		return true;
	}
	if (!level.flags || !*level.flags)
		return false;
	is_on = *level.flags != '0';
	subs->flags++;
	return is_on;
}

/* A member of a list of levels. */
static bool is_flag(const struct node *item)
{
	enum scalar_type type = node_is_scalar(item) ? scalar_type(item) : SCALAR_NULL;

	return type == SCALAR_BOOL || type == SCALAR_INT;
}

static bool flag_of(const struct node *item)
{
	return scalar_type(item) == SCALAR_BOOL ? scalar_bool(item) : scalar_number(item) != 0;
}

static bool is_level(const struct node *value)
{
	if (node_is_sequence(value)) {
		for (uint32_t i = 0; i < value->seq.count; i++)
			if (!is_flag(value->seq.items[i]))
				return false;
		return true;
	}
	if (!node_is_scalar(value))
		return false;
	if (scalar_type(value) == SCALAR_STRING)
		return strspn(value->text.data, "01") == value->text.len;
	return scalar_is_null(value) || is_flag(value);
}

int salt_level_check(const struct node *value, struct problem *problem)
{
	if (is_level(value))
		return 0;
	return problem_at(problem, value,
		"the level is true, false, a number, a list of booleans and numbers, or a quoted "
		"string of 0 and 1, one for each nesting");
}

static int level_of_list(const struct node *list, struct arena *arena, struct salt_level *ret)
{
	char *flags = arena_alloc(arena, (size_t)list->seq.count + 1);

	if (!flags)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->seq.count; i++)
		flags[i] = flag_of(list->seq.items[i]) ? '1' : '0';
	flags[list->seq.count] = '\0';
	*ret = (struct salt_level){.flags = flags};
	return 0;
}

int salt_level_of(const struct node *value, struct arena *arena, struct salt_level *ret)
{
	double number;

	assert(is_level(value));
	if (node_is_sequence(value))
		return level_of_list(value, arena, ret);
	if (scalar_type(value) == SCALAR_STRING) {
		*ret = (struct salt_level){.flags = value->text.data};
		return 0;
	}
	if (scalar_type(value) != SCALAR_INT) {
		bool is_on = scalar_type(value) == SCALAR_BOOL && scalar_bool(value);

		*ret = is_on ? SALT_LEVEL_TRUE : SALT_LEVEL_FALSE;
		return 0;
	}
	number = scalar_number(value);
	*ret = SALT_LEVEL_TRUE;
	if (number >= 0 && number < UINT32_MAX)
		ret->count = (uint32_t)number;
	return 0;
}

bool salt_is_aggregate(const struct node *value)
{
	return value->mark & MARK_AGGREGATE;
}

/* A list like `node`, with a copy of its items. NULL: no memory. */
static struct node *own_list(struct run *run, const struct node *node)
{
	struct owned_list *list = arena_zalloc(run->arena, 1, sizeof(*list));
	size_t size = node->seq.count * sizeof(*node->seq.items);

	if (!list)
		return NULL;
	list->node = *node;
	list->node.mark = MARK_OWNED | (node->mark & MARK_AGGREGATE);
	list->node.seq.capacity = node->seq.count;
	if (!size)
		return &list->node;
	list->node.seq.items = arena_alloc(run->arena, size);
	if (!list->node.seq.items)
		return NULL;
	memcpy(list->node.seq.items, node->seq.items, size);
	return &list->node;
}

/* A node that may be changed and has the entries and the mark of `node`. NULL: no memory. */
static struct node *own(struct run *run, const struct node *node)
{
	struct node *copy;

	if (run->in_place && node->mark & MARK_OWNED)
		return (struct node *)node; /* made below, and not const then */
	if (node_is_sequence(node))
		return own_list(run, node);
	copy = node_copy(run->arena, node);
	if (copy)
		copy->mark = MARK_OWNED | (node->mark & MARK_AGGREGATE);
	return copy;
}

/* The list around an owned sequence. */
static struct owned_list *list_of(struct node *owned)
{
	assert(node_is_sequence(owned) && owned->mark & MARK_OWNED);
	return (struct owned_list *)owned;
}

static int mark_collection(struct run *run, const struct node *value, const struct node **ret)
{
	struct node *copy;

	*ret = value;
	if (salt_is_aggregate(value))
		return 0;
	copy = own(run, value);
	if (!copy)
		return -ENOMEM;
	copy->mark |= MARK_AGGREGATE;
	*ret = copy;
	return 0;
}

/* A marked list of the one value, or of none. It stands where the value stood. */
static int mark_scalar(struct run *run, const struct node *place, const struct node *value,
	const struct node **ret)
{
	bool is_long = place->style == NODE_LITERAL || place->style == NODE_FOLDED;
	struct node list = {
		.kind = NODE_SEQUENCE,
		.style = node_is_scalar(place) && !is_long ? NODE_FLOW : NODE_BLOCK,
		.mark = MARK_AGGREGATE,
		.weight = 1,
		.source = place->source,
		.line = place->line,
		.column = place->column,
	};
	struct node *owned = own_list(run, &list);

	if (!owned || (value && node_push(run->arena, owned, value) < 0))
		return -ENOMEM;
	*ret = owned;
	return 0;
}

static int mark(struct run *run, const struct node *value, const struct node **ret)
{
	if (node_is_scalar(value))
		return mark_scalar(run, value, value, ret);
	return mark_collection(run, value, ret);
}

/* Puts another value into a pair of an owned map. `weight` is what the old value's was when it was
 * put there: in the meantime it may have grown, and be the new value. */
static void set_value(
	struct node *map, const struct pair *pair, uint32_t weight, const struct node *value)
{
	uint32_t rest = map->weight - weight;
	uint32_t sum = rest > UINT32_MAX - value->weight ? UINT32_MAX : rest + value->weight;

	map->weight = map->weight == UINT32_MAX ? UINT32_MAX : sum;
	map->map.pairs[pair - map->map.pairs].value = value;
}

static int aggregate(struct run *run, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret);

/* One key of `b`, which `map` has or not: its old value is aggregated with the new one. */
static int aggregate_pair(
	struct run *run, struct node *map, const struct pair *pair, struct salt_level level)
{
	const struct pair *old = node_find_hashed(map, pair->key, pair->hash);
	const struct node *value;
	uint32_t weight;
	int r;

	if (!old)
		return node_append(run->arena, map, pair);
	weight = old->value->weight;
	r = aggregate(run, old->value, pair->value, level, &value);
	if (r < 0)
		return r;
	set_value(map, old, weight, value);
	return 0;
}

/* Both maps are marked: `a`, with what `b` says. */
static int aggregate_into(struct run *run, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret)
{
	struct node *map = own(run, a);

	if (!map)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->map.count; i++) {
		int r = aggregate_pair(run, map, &b->map.pairs[i], level);

		if (r < 0)
			return r;
	}
	*ret = map;
	return 0;
}

/* Otherwise: `b`, where `a` counts only for the keys of `b`. */
static int aggregate_from(struct run *run, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret)
{
	struct node *map = NULL;

	for (uint32_t i = 0; i < b->map.count; i++) {
		const struct pair *pair = &b->map.pairs[i];
		const struct pair *old = node_find_hashed(a, pair->key, pair->hash);
		uint32_t weight = pair->value->weight;
		const struct node *value;
		int r;

		if (!old)
			continue;
		r = aggregate(run, old->value, pair->value, level, &value);
		if (r < 0)
			return r;
		if (value == pair->value && value->weight == weight)
			continue;
		if (!map)
			map = own(run, b);
		if (!map)
			return -ENOMEM;
		set_value(map, &map->map.pairs[i], weight, value);
	}
	*ret = map ? map : b;
	return 0;
}

/* Puts an item that `seen` has not yet into it. `hash` is its node_hash(). */
static int see_item(struct run *run, struct node *seen, const struct node *item, uint32_t hash)
{
	struct pair pair = {.key = item, .value = item, .hash = hash};

	return node_append(run->arena, seen, &pair);
}

/* Makes all items of the list known. */
static int see_items(struct run *run, struct owned_list *list)
{
	if (!list->seen)
		list->seen = node_new_map(run->arena, NULL);
	if (!list->seen)
		return -ENOMEM;
	for (; list->seen_count < list->node.seq.count; list->seen_count++) {
		const struct node *item = list->node.seq.items[list->seen_count];
		uint32_t hash = node_hash(item);

		if (!node_find_hashed(list->seen, item, hash) &&
			see_item(run, list->seen, item, hash) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int append_by_hash(struct run *run, struct owned_list *list, const struct node *b)
{
	uint32_t old;

	if (see_items(run, list) < 0)
		return -ENOMEM;
	old = list->seen->map.count;
	for (uint32_t i = 0; i < b->seq.count; i++) {
		const struct node *item = b->seq.items[i];
		uint32_t hash = node_hash(item);
		const struct pair *found = node_find_hashed(list->seen, item, hash);

		/* What `b` has twice and `a` had not stays twice. */
		if (found && found < list->seen->map.pairs + old)
			continue;
		if (!found && see_item(run, list->seen, item, hash) < 0)
			return -ENOMEM;
		if (node_push(run->arena, &list->node, item) < 0)
			return -ENOMEM;
		list->seen_count++;
	}
	return 0;
}

static bool has_item(const struct owned_list *list, uint32_t count, const struct node *item)
{
	for (uint32_t i = 0; i < count; i++)
		if (node_equal(list->node.seq.items[i], item))
			return true;
	return false;
}

/* Two marked lists: `a`, then what is in `b` and was not in `a`. */
static int aggregate_lists(
	struct run *run, const struct node *a, const struct node *b, const struct node **ret)
{
	struct node *owned = own(run, a);
	struct owned_list *list;
	uint32_t old;

	if (!owned)
		return -ENOMEM;
	*ret = owned;
	list = list_of(owned);
	old = owned->seq.count;
	if ((uint64_t)old * b->seq.count > COMPARE_MAX)
		return append_by_hash(run, list, b);
	for (uint32_t i = 0; i < b->seq.count; i++) {
		if (has_item(list, old, b->seq.items[i]))
			continue;
		if (node_push(run->arena, owned, b->seq.items[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int aggregate(struct run *run, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret)
{
	struct salt_level subs;
	bool are_marked;

	if (salt_levelise(level, &subs) && (mark(run, a, &a) < 0 || mark(run, b, &b) < 0))
		return -ENOMEM;

	are_marked = salt_is_aggregate(a) && salt_is_aggregate(b);
	if (node_is_map(a) && node_is_map(b))
		return are_marked ? aggregate_into(run, a, b, subs, ret)
				  : aggregate_from(run, a, b, subs, ret);
	if (node_is_sequence(a) && node_is_sequence(b) && are_marked)
		return aggregate_lists(run, a, b, ret);
	*ret = b;
	return 0;
}

int salt_map(struct arena *arena, const struct node *map, const struct node **ret)
{
	struct run run = {.arena = arena};

	assert(node_is_map(map));
	return mark_collection(&run, map, ret);
}

int salt_sequence(struct arena *arena, const struct node *list, const struct node **ret)
{
	struct run run = {.arena = arena};

	assert(node_is_sequence(list));
	return mark_collection(&run, list, ret);
}

int salt_scalar(struct arena *arena, const struct node *value, const struct node **ret)
{
	struct run run = {.arena = arena};

	return mark_scalar(&run, value, value, ret);
}

int salt_nothing(struct arena *arena, const struct node *value, const struct node **ret)
{
	struct run run = {.arena = arena};

	return mark_scalar(&run, value, NULL, ret);
}

int salt_mark(struct arena *arena, const struct node *value, const struct node **ret)
{
	struct run run = {.arena = arena};

	return mark(&run, value, ret);
}

int salt_aggregate(struct arena *arena, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret)
{
	struct run run = {.arena = arena};

	return aggregate(&run, a, b, level, ret);
}

int salt_aggregate_taken(struct arena *arena, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret)
{
	struct run run = {.arena = arena, .in_place = true};

	return aggregate(&run, a, b, level, ret);
}
