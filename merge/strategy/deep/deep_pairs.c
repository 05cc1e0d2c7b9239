#include <errno.h>

#include "deep.h"
#include "item_key.h"
#include "scalar.h"

/* A list that becomes a map. */
struct pairs {
	struct deep *deep;
	const struct list_rule *rule;
	enum list_twice twice;    /* the rule's, if the list is as its layer has it */
	const struct node *other; /* the map of another layer */
	struct node *map;
};

/*
 * If the key of `pair` is not in `map`, but one with the same characters is, makes it that key. So
 * the 1 of "1=a" is the integer of a map.
 */
static void adopt_key(const struct node *map, struct pair *pair)
{
	static const uint8_t schemas[] = {NODE_TEXT, NODE_YAML_1_1, NODE_YAML_1_2, NODE_SALT};

	if (!node_is_scalar(pair->key) || pair->key->tag ||
		node_find_hashed(map, pair->key, pair->hash))
		return;
	struct node alike = *pair->key;
	alike.style = NODE_PLAIN;
	for (size_t i = 0; i < sizeof(schemas); i++) {
		alike.schema = schemas[i];
		uint32_t hash = node_hash(&alike);
		const struct pair *found = node_find_hashed(map, &alike, hash);

		/* 0x1 and 1 are one integer, but two names. */
		if (found && span_equal(found->key->text, alike.text)) {
			*pair = (struct pair){found->key, pair->value, hash};
			return;
		}
	}
}

static int refuse_item(const struct pairs *pairs, const struct node *item)
{
	return problem_at(pairs->deep->merge->problem, item,
		"another layer has a map in place of this list, and this item is no text with a "
		"key before '%s'; write it like the others",
		pairs->rule->before->text.data);
}

static int split_item(const struct pairs *pairs, const struct node *item, struct pair *ret)
{
	struct deep *deep = pairs->deep;
	struct arena *arena = deep->merge->arena;
	struct span head, tail;

	if (!node_is_scalar(item) || scalar_is_null(item))
		return refuse_item(pairs, item);
	item_key_split(item->text, pairs->rule->before->text, &head, &tail);
	if (!head.len)
		return refuse_item(pairs, item);
	int r = deep_spend(deep, item, 2 + (uint64_t)item->text.len);
	if (r != 0)
		return r;
	struct node *key = node_copy(arena, item), *value = node_copy(arena, item);
	const char *name = arena_copy(arena, head);
	if (!key || !value || !name)
		return -ENOMEM;
	key->tag = NULL;
	key->schema = NODE_TEXT;
	key->style = NODE_PLAIN;
	key->text = (struct span){name, head.len};
	value->style = NODE_PLAIN;
	value->schema = tail.data ? NODE_TEXT : NODE_YAML_1_2;
	value->text = tail.data ? tail : span_of("null");
	if (directive_of(item) == DIRECTIVE_DELETE)
		value->text = span_of("");
	*ret = (struct pair){key, value, node_hash(key)};
	return 0;
}

static int add_item(const struct pairs *pairs, const struct node *item)
{
	struct deep *deep = pairs->deep;
	struct pair pair;
	int r = split_item(pairs, item, &pair);

	if (r != 0)
		return r;
	adopt_key(pairs->other, &pair);
	const struct pair *first = node_find_hashed(pairs->map, pair.key, pair.hash);
	if (first && pairs->twice == LIST_TWICE_ERROR)
		return problem_at(deep->merge->problem, item,
			"'%s' comes twice in this list, first in line %u; remove one of both",
			pair.key->text.data, (unsigned)first->key->line);
	origin_move(deep->origins, item, pair.value);
	return node_put_hashed(deep->merge->arena, pairs->map, &pair);
}

static int add_items(const struct pairs *pairs, const struct node *list)
{
	const struct list *ours = list->mark == OWNED ? (const struct list *)list : NULL;
	int32_t i = ours ? list_begin(ours) : 0;
	int32_t end = ours ? list_end(ours) : (int32_t)list->seq.count;
	int r = 0;

	for (; r == 0 && i < end; i++) {
		const struct node *item = ours ? list_at(ours, i) : list->seq.items[i];

		if (item)
			r = add_item(pairs, item);
	}
	return r;
}

/* As adopt_key(), for all keys of the map `*value`. Two keys of its layer stay two. */
static int adopt_keys(struct deep *deep, const struct node *below, const struct node **value)
{
	struct arena *arena = deep->merge->arena;
	const struct node *from = *value;
	struct node *map = NULL;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < from->map.count; i++) {
		struct pair pair = from->map.pairs[i];

		adopt_key(below, &pair);
		if (pair.key != from->map.pairs[i].key &&
			node_find_hashed(from, pair.key, pair.hash))
			pair = from->map.pairs[i];
		if (!map && pair.key != from->map.pairs[i].key &&
			!(map = node_copy_head(arena, from, i)))
			return -ENOMEM;
		if (map)
			r = node_append(arena, map, &pair);
	}
	if (r != 0 || !map)
		return r;
	origin_move(deep->origins, from, map);
	*value = map;
	return deep_spend(deep, from, from->map.count);
}

int deep_make_pairs(struct deep *deep, const struct list_place *place, const struct node **below,
	const struct node **value)
{
	bool is_layer = node_is_sequence(*value);
	const struct node **list = is_layer ? value : below;
	const struct node *map = is_layer ? *below : *value;

	if (node_is_scalar(*list) || !node_is_map(map) || (*list)->tag || map->tag)
		return 0;
	const struct list_rule *rule = list_rules_find(deep->rules, place);
	if (!rule->before)
		return 0;
	if (node_is_map(*list))
		return adopt_keys(deep, *below, value);
	struct pairs pairs = {deep, rule, is_layer ? rule->twice : LIST_TWICE_SECOND, map,
		node_new_map(deep->merge->arena, *list)};
	int r = pairs.map ? add_items(&pairs, *list) : -ENOMEM;
	if (r != 0)
		return r;
	pairs.map->mark = is_layer ? 0 : OWNED;
	origin_move(deep->origins, *list, pairs.map);
	*list = pairs.map;
	deep_note_part(deep, *below, *value, rule);
	return 0;
}
