#include "cfengine.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "scalar.h"

int cfengine_string_key(struct arena *arena, const struct node *key, const struct node **ret)
{
	struct span text;
	struct node *string;
	enum scalar_type type;
	int r;

	*ret = key;
	if (!node_is_scalar(key))
		return 0;
	type = scalar_type(key);
	if (type == SCALAR_STRING || type == SCALAR_FOREIGN)
		return 0;
	r = scalar_json(key, arena, &text);
	if (r == -ERANGE)
		text = key->text;
	else if (r < 0)
		return r;
	string = node_new_scalar(arena, text, NODE_DOUBLE);
	*ret = string;
	return string ? 0 : -ENOMEM;
}

/*
 * Records what happens to the old value of the pair's key. A container may be named more than once,
 * and then its values stand at several places: each place gets its own node.
 */
static int note_pair(
	struct cfengine_sum *sum, struct arena *arena, struct pair *pair, const char *rule)
{
	const struct pair *old = node_find_hashed(sum->own, pair->key, pair->hash);
	const struct node *copy = node_copy(arena, pair->value);

	if (!copy)
		return -ENOMEM;
	origin_move(sum->origins, pair->value, copy);
	if (old)
		origin_replace(sum->origins, copy, old->value, (struct origin_why){rule, NULL});
	pair->value = copy;
	return 0;
}

static int put(struct cfengine_sum *sum, struct arena *arena, const struct pair *given)
{
	struct pair pair = *given;
	int r = cfengine_string_key(arena, given->key, &pair.key);

	if (r < 0)
		return r;
	if (pair.key != given->key)
		pair.hash = node_hash(pair.key);
	if (pair.key != given->key && !node_find_hashed(sum->own, pair.key, pair.hash)) {
		if (!sum->odd)
			sum->odd = node_new_map(arena, NULL);
		if (!sum->odd || node_put(arena, sum->odd, pair.key, given->key) < 0)
			return -ENOMEM;
	}
	if (sum->origins && note_pair(sum, arena, &pair, "the last key wins") < 0)
		return -ENOMEM;
	return node_put_hashed(arena, sum->own, &pair);
}

static int put_map(struct cfengine_sum *sum, struct arena *arena, const struct node *map)
{
	for (uint32_t i = 0; i < map->map.count; i++) {
		int r = put(sum, arena, &map->map.pairs[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

static int put_offsets(struct cfengine_sum *sum, struct arena *arena, const struct node *array)
{
	for (uint32_t i = 0; i < array->seq.count; i++) {
		struct span text = {arena_printf(arena, "%" PRIu32, i), 0};
		struct pair pair = {.value = array->seq.items[i]};

		if (!text.data)
			return -ENOMEM;
		text.len = strlen(text.data);
		pair.key = node_new_scalar(arena, text, NODE_DOUBLE);
		if (!pair.key)
			return -ENOMEM;
		pair.hash = node_hash(pair.key);
		if (sum->origins && note_pair(sum, arena, &pair, "an array's offsets win") < 0)
			return -ENOMEM;
		if (node_put_hashed(arena, sum->own, &pair) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int begin_map(struct cfengine_sum *sum, struct arena *arena, const struct node *like)
{
	sum->own = node_new_map(arena, like);
	if (!sum->own)
		return -ENOMEM;
	origin_move(sum->origins, like, sum->own);
	return 0;
}

static void note_part(struct cfengine_sum *sum, const struct node *other)
{
	const char *rule = node_is_map(sum->own) ? "mergedata: all keys in one object"
						 : "mergedata: lists are concatenated";

	origin_note(sum->origins, sum->own, other, ORIGIN_PART, (struct origin_why){rule, NULL});
}

static int add_arrays(struct cfengine_sum *sum, struct arena *arena, const struct node *array)
{
	if (!sum->own) {
		sum->own = node_copy(arena, sum->value);
		if (!sum->own)
			return -ENOMEM;
		origin_move(sum->origins, sum->value, sum->own);
	}
	for (uint32_t i = 0; i < array->seq.count; i++)
		if (node_push(arena, sum->own, array->seq.items[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int add_object_to_array(
	struct cfengine_sum *sum, struct arena *arena, const struct node *map)
{
	const struct node *array = sum->value;
	int r = begin_map(sum, arena, map);

	if (r == 0)
		r = put_map(sum, arena, map);
	return r == 0 ? put_offsets(sum, arena, array) : r;
}

static int add_to_object(struct cfengine_sum *sum, struct arena *arena, const struct node *value)
{
	int r = 0;

	if (!sum->own) {
		r = begin_map(sum, arena, sum->value);
		if (r == 0)
			r = put_map(sum, arena, sum->value);
	}
	if (r < 0)
		return r;
	return node_is_map(value) ? put_map(sum, arena, value) : put_offsets(sum, arena, value);
}

int cfengine_sum_add(struct cfengine_sum *sum, struct arena *arena, const struct node *value)
{
	int r;

	assert(!node_is_scalar(value));
	if (!sum->value) {
		sum->value = value;
		return 0;
	}
	if (node_is_map(sum->value))
		r = add_to_object(sum, arena, value);
	else if (node_is_map(value))
		r = add_object_to_array(sum, arena, value);
	else
		r = add_arrays(sum, arena, value);
	if (r < 0)
		return r;
	note_part(sum, node_is_map(sum->value) || !node_is_map(value) ? value : sum->value);
	sum->value = sum->own;
	return 0;
}

int cfengine_sum_end(const struct cfengine_sum *sum, struct arena *arena, const struct node **ret)
{
	struct node *map;

	if (!sum->odd) {
		*ret = sum->value;
		return 0;
	}
	map = node_new_map(arena, sum->own);
	if (!map)
		return -ENOMEM;
	for (uint32_t i = 0; i < sum->own->map.count; i++) {
		const struct pair *pair = &sum->own->map.pairs[i];
		const struct pair *odd = node_find_hashed(sum->odd, pair->key, pair->hash);

		if (node_put(arena, map, odd ? odd->value : pair->key, pair->value) < 0)
			return -ENOMEM;
	}
	origin_move(sum->origins, sum->own, map);
	*ret = map;
	return 0;
}
