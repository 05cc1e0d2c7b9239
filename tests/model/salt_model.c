#include "salt_model.h"

#include "salt_build.h"
#include "scalar.h"

static bool is_marked(const struct node *node)
{
	return is_tag(node, MAP) || is_tag(node, LIST);
}

/* Returns the number of the first pair with that key, or the number of all pairs. */
static uint32_t place_of(const struct node *map, const struct node *key)
{
	uint32_t i = 0;

	while (i < map->map.count && !node_equal(map->map.pairs[i].key, key))
		i++;
	return i;
}

/* Whether they are equal as the strategy compares them: marks do not count. */
static const struct node *unmarked(struct arena *arena, const struct node *node)
{
	struct node *copy;

	if (node_is_scalar(node))
		return node;
	copy = new_like(arena, node, NULL);
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++)
		add(arena, copy, node->map.pairs[i].key, unmarked(arena, node->map.pairs[i].value));
	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++)
		push(arena, copy, unmarked(arena, node->seq.items[i]));
	return copy;
}

static bool is_in(struct arena *arena, const struct node *list, const struct node *item)
{
	for (uint32_t i = 0; i < list->seq.count; i++)
		if (node_equal(unmarked(arena, list->seq.items[i]), unmarked(arena, item)))
			return true;
	return false;
}

static const struct node *mark(struct arena *arena, const struct node *value)
{
	struct node *copy;

	if (is_marked(value))
		return value;
	if (node_is_scalar(value)) {
		copy = check(node_new_sequence(arena, NULL));
		copy->tag = LIST;
		push(arena, copy, value);
		return copy;
	}
	copy = check(node_copy(arena, value));
	copy->tag = node_is_map(value) ? MAP : LIST;
	return copy;
}

static const struct node *aggregate(
	struct arena *arena, const struct node *a, const struct node *b, const char *level);

static const struct node *aggregate_maps(
	struct arena *arena, const struct node *a, const struct node *b, const char *level)
{
	bool is_from_a = is_marked(a) && is_marked(b);
	const struct node *base = is_from_a ? a : b;
	struct node *map = new_like(arena, base, base->tag);

	for (uint32_t i = 0; i < base->map.count; i++)
		add(arena, map, base->map.pairs[i].key, base->map.pairs[i].value);
	for (uint32_t i = 0; i < b->map.count; i++) {
		const struct pair *pair = &b->map.pairs[i];
		uint32_t old = place_of(a, pair->key), place = place_of(map, pair->key);
		const struct node *value = pair->value;

		if (old < a->map.count)
			value = aggregate(arena, a->map.pairs[old].value, value, level);
		if (place < map->map.count)
			map->map.pairs[place].value = value;
		else
			add(arena, map, pair->key, value);
	}
	return map;
}

static const struct node *aggregate(
	struct arena *arena, const struct node *a, const struct node *b, const char *level)
{
	bool is_on = *level == '1' || *level == '*';
	const char *next = *level == '1' || *level == '0' ? level + 1 : level;
	struct node *list;

	if (is_on) {
		a = mark(arena, a);
		b = mark(arena, b);
	}
	if (node_is_map(a) && node_is_map(b))
		return aggregate_maps(arena, a, b, next);
	if (!is_tag(a, LIST) || !is_tag(b, LIST))
		return b;
	list = check(node_copy(arena, a));
	for (uint32_t i = 0; i < b->seq.count; i++)
		if (!is_in(arena, a, b->seq.items[i]))
			push(arena, list, b->seq.items[i]);
	return list;
}

static const struct node *untagged(struct arena *arena, const struct node *node)
{
	struct node *copy = check(node_copy(arena, node));

	copy->tag = NULL;
	return copy;
}

static bool fits(const struct node *node, const char *tag)
{
	if (equals(tag, MAP))
		return node_is_map(node);
	if (equals(tag, LIST))
		return node_is_sequence(node);
	return !equals(tag, SCALAR) || node_is_scalar(node);
}

static const struct node *construct_scalar(
	struct arena *arena, const struct node *node, const char *tag)
{
	const struct node *value = untagged(arena, node);
	struct node *list;

	if (!equals(tag, ANY) && !equals(tag, SCALAR))
		return value;
	list = check(node_new_sequence(arena, NULL));
	list->tag = LIST;
	if (equals(tag, SCALAR) || scalar_type(value) != SCALAR_NULL)
		push(arena, list, value);
	return list;
}

static const struct node *construct(
	struct arena *arena, const struct node *node, const char *outer);

static bool construct_pair(struct arena *arena, const struct pair *pair, struct node *map)
{
	const struct node *key = untagged(arena, pair->key);
	const struct node *value = construct(arena, pair->value, pair->key->tag);
	uint32_t place = place_of(map, key);

	if (!value)
		return false;
	if (place == map->map.count)
		add(arena, map, key, value);
	else if (is_tag(pair->key, RESET))
		map->map.pairs[place].value = value;
	else
		map->map.pairs[place].value =
			aggregate(arena, map->map.pairs[place].value, value, "");
	return true;
}

/* Returns a document's value, with `outer` for a tag if it has none. NULL: an error. */
static const struct node *construct(struct arena *arena, const struct node *node, const char *outer)
{
	const char *tag = node->tag && !is_tag(node, RESET) ? node->tag : outer;
	struct node *copy;

	if (!fits(node, tag))
		return NULL;
	if (node_is_scalar(node))
		return construct_scalar(arena, node, tag);

	copy = new_like(arena, node,
		!tag || equals(tag, RESET) ? NULL
		: node_is_map(node)        ? MAP
					   : LIST);
	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++) {
		const struct node *item = construct(arena, node->seq.items[i], NULL);

		if (!item)
			return NULL;
		push(arena, copy, item);
	}
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++)
		if (!construct_pair(arena, &node->map.pairs[i], copy))
			return NULL;
	return copy;
}

/* A root of another kind than the one before, without a tag that shows that it is intended. */
static bool is_broken(const struct node *below, const struct node *root)
{
	return below->kind != root->kind && !below->tag && !root->tag && !scalar_is_null(below) &&
	       !scalar_is_null(root);
}

const struct node *salt_model_merge(struct arena *arena, const struct node *const *roots,
	size_t count, const char *level, bool *is_empty)
{
	const struct node *result = NULL, *below = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct node *value = roots[i];

		if (scalar_is_empty(value))
			continue;
		value = construct(arena, value, ANY);
		if (!value || (below && is_broken(below, roots[i])))
			return NULL;
		below = roots[i];
		result = result ? aggregate(arena, result, value, level) : value;
	}
	*is_empty = !result;
	return result ? untagged(arena, result) : roots[0];
}
