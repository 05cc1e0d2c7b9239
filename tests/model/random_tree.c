#include "random_tree.h"

/* Shared by all branches of a tree. */
struct branch {
	struct arena *arena;
	struct random *random;
	const struct random_tree_shape *shape;
};

static const struct node *new_value(const struct branch *branch, unsigned depth);
static const struct node *new_item(const struct branch *branch, unsigned depth);
static const char *new_tag(const struct branch *branch, const char *const *fitting);

/* splitmix64 */
uint32_t random_below(struct random *random, uint32_t end)
{
	uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return (uint32_t)((z ^ (z >> 31)) >> 32) % end;
}

bool random_chance(struct random *random, unsigned percent)
{
	return random_below(random, 100) < percent;
}

static const char *word(struct random *random, const char *const *words)
{
	uint32_t count = 0;

	while (words[count])
		count++;
	return words[random_below(random, count)];
}

static struct node *new_scalar(const struct branch *branch, const char *text)
{
	bool is_quoted = text[0] == '"';

	return node_new_scalar(
		branch->arena, span_of(text + is_quoted), is_quoted ? NODE_DOUBLE : NODE_PLAIN);
}

static const struct node *new_item_key(const struct branch *branch, unsigned number)
{
	static const char *const numbers[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
		"11", "12", "13", "14", "15", "16"};

	return new_scalar(branch, numbers[number % 16]);
}

static bool put(
	const struct branch *branch, struct node *map, const char *name, const struct node *value)
{
	const struct node *key = new_scalar(branch, name);

	return key && value && node_put(branch->arena, map, key, value) == 0;
}

static void choose_style(const struct branch *branch, struct node *node)
{
	unsigned percent = branch->shape->flow_percent;

	if (node && percent > 0 && random_chance(branch->random, percent))
		node->style = NODE_FLOW;
}

static struct node *new_map(const struct branch *branch, unsigned depth)
{
	struct node *map = node_new_map(branch->arena, NULL);
	unsigned count = random_below(branch->random, branch->shape->width + 1);

	choose_style(branch, map);
	for (unsigned i = 0; map && i < count; i++)
		if (!put(branch, map, word(branch->random, branch->shape->keys),
			    new_value(branch, depth)))
			return NULL;
	return map;
}

static const struct node *new_text_item(
	const struct branch *branch, unsigned number, bool may_be_removed)
{
	const char *text =
		arena_printf(branch->arena, random_chance(branch->random, 20) ? "%u" : "%u.%s",
			number % 16, word(branch->random, branch->shape->keys));
	struct node *item = text ? new_scalar(branch, text) : NULL;

	if (item)
		item->tag = new_tag(
			branch, may_be_removed ? branch->shape->empty_tags : branch->shape->tags);
	return item;
}

static const struct node *new_keyed_item(
	const struct branch *branch, unsigned depth, unsigned number, bool may_be_removed)
{
	const struct random_tree_shape *shape = branch->shape;
	struct node *item = node_new_map(branch->arena, NULL);
	bool is_alone = random_chance(branch->random, 25);
	unsigned count = is_alone ? 0 : random_below(branch->random, shape->width);

	if (shape->has_text_items)
		return new_text_item(branch, number, may_be_removed);
	struct node *in = shape->item_up ? node_new_map(branch->arena, NULL) : item;
	if (!item || !in || !put(branch, in, shape->item_key, new_item_key(branch, number)) ||
		(in != item && !put(branch, item, shape->item_up, in)))
		return NULL;
	item->tag = new_tag(branch, is_alone && may_be_removed ? shape->empty_tags : shape->tags);
	for (unsigned n = 0; n < count; n++) {
		const char *name = word(branch->random, shape->keys);
		if (strcmp(name, shape->item_key) != 0 &&
			(!shape->item_up || strcmp(name, shape->item_up) != 0) &&
			!put(branch, item, name, new_value(branch, depth)))
			return NULL;
	}
	return item;
}

/* Items are removed only from lists without a tag, and most have a key of their own. */
static struct node *new_list(const struct branch *branch, unsigned depth, const char *tag)
{
	struct random *random = branch->random;
	struct node *list = node_new_sequence(branch->arena, NULL);
	unsigned count = random_below(random, branch->shape->width + 1);
	unsigned start = random_below(random, 4), step = random_chance(random, 2) ? 0 : 1;
	bool is_keyed = branch->shape->item_key && random_chance(random, 60);

	for (unsigned i = 0; list && i < count; i++) {
		const struct node *item =
			is_keyed && depth > 0 && random_chance(random, 90)
				? new_keyed_item(branch, depth - 1, start + i * step, !tag)
				: new_item(branch, depth);
		if (item && branch->shape->value_tags && node_is_scalar(item) && !item->tag &&
			(tag ? strcmp(tag, "!replace") != 0 : random_chance(random, 5)))
			((struct node *)item)->tag = new_tag(branch, branch->shape->value_tags);
		if (!item || node_push(branch->arena, list, item) < 0)
			return NULL;
	}
	choose_style(branch, list);
	if (list)
		list->tag = tag;
	return list;
}

/* NULL: no tag. */
static const char *new_tag(const struct branch *branch, const char *const *fitting)
{
	const struct random_tree_shape *shape = branch->shape;
	const char *const *const all[] = {shape->tags, shape->list_tags, shape->empty_tags};

	if (!random_chance(branch->random, shape->tag_percent))
		return NULL;
	if (random_chance(branch->random, shape->stray_percent))
		fitting = all[random_below(branch->random, 3)];
	return fitting ? word(branch->random, fitting) : NULL;
}

static struct node *new_leaf(const struct branch *branch, bool is_empty)
{
	const struct random_tree_shape *shape = branch->shape;
	struct node *leaf =
		new_scalar(branch, is_empty ? "" : word(branch->random, shape->scalars));

	if (leaf)
		leaf->tag = new_tag(branch, is_empty ? shape->empty_tags : shape->tags);
	return leaf;
}

static struct node *new_collection(const struct branch *branch, unsigned depth)
{
	const struct random_tree_shape *shape = branch->shape;

	if (random_chance(branch->random, shape->list_percent)) {
		bool is_common = random_chance(branch->random, 30);
		return new_list(
			branch, depth, new_tag(branch, is_common ? shape->tags : shape->list_tags));
	}
	struct node *map = new_map(branch, depth);
	if (map)
		map->tag = new_tag(branch, shape->tags);
	return map;
}

static const struct node *new_item(const struct branch *branch, unsigned depth)
{
	if (depth == 0 || random_chance(branch->random, 50))
		return new_leaf(branch, false);
	return new_collection(branch, depth - 1);
}

static const struct node *new_value(const struct branch *branch, unsigned depth)
{
	const struct random_tree_shape *shape = branch->shape;

	if (depth == 0 || random_chance(branch->random, shape->scalar_percent))
		return new_leaf(branch, random_chance(branch->random, shape->tag_percent));
	return new_collection(branch, depth - 1);
}

const struct node *random_tree(
	struct arena *arena, struct random *random, const struct random_tree_shape *shape)
{
	const struct branch branch = {arena, random, shape};

	if (random_chance(random, 5))
		return new_value(&branch, shape->depth);
	return new_map(&branch, shape->depth - 1);
}

bool random_tree_is_same(const struct node *a, const struct node *b,
	bool (*is_same)(const struct node *a, const struct node *b))
{
	if (!a || !b || a->kind != b->kind || node_count(a) != node_count(b) || !is_same(a, b))
		return a == b;
	for (uint32_t i = 0; node_is_map(a) && i < a->map.count; i++)
		if (!random_tree_is_same(a->map.pairs[i].key, b->map.pairs[i].key, is_same))
			return false;
	for (uint32_t i = 0; i < node_count(a); i++)
		if (!random_tree_is_same(*node_entry(a, i), *node_entry(b, i), is_same))
			return false;
	return true;
}
