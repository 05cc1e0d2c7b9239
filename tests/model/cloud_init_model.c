#include "cloud_init_model.h"

#include <stdlib.h>

#include "scalar.h"

struct model {
	struct arena *arena;
	const struct mergers *mergers;
	bool failed;
};

static const struct node *merge_values(
	struct model *model, const struct node *value, const struct node *with);

static void *check(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static bool is_string(const struct node *node)
{
	return node_is_scalar(node) && scalar_type(node) == SCALAR_STRING;
}

static bool recurses(unsigned options, bool into_maps, const struct node *with)
{
	return (node_is_sequence(with) && is_set(options, RECURSE_LIST)) ||
	       (is_string(with) && is_set(options, RECURSE_STR)) ||
	       (node_is_map(with) && into_maps);
}

static void add(
	struct model *model, struct node *map, const struct node *key, const struct node *value)
{
	if (node_put(model->arena, map, key, value) < 0)
		abort();
}

static void push(struct model *model, struct node *list, const struct node *item)
{
	if (node_push(model->arena, list, item) < 0)
		abort();
}

static const struct node *merge_dicts(
	struct model *model, const struct node *value, const struct node *with)
{
	struct node *result = check(node_new_map(model->arena, NULL));
	unsigned options = model->mergers->dict;

	if (!node_is_map(with))
		return value;
	for (uint32_t i = 0; i < value->map.count; i++) {
		const struct pair *old = &value->map.pairs[i], *new = node_find(with, old->key);
		if (!new)
			add(model, result, old->key, old->value);
		else if (is_set(options, ALLOW_DELETE) && scalar_is_null(new->value))
			continue;
		else if (is_set(options, REPLACE))
			add(model, result, old->key, new->value);
		else if (recurses(options, true, new->value))
			add(model, result, old->key, merge_values(model, old->value, new->value));
		else
			add(model, result, old->key, old->value);
	}
	for (uint32_t i = 0; i < with->map.count; i++)
		if (!node_find(value, with->map.pairs[i].key))
			add(model, result, with->map.pairs[i].key, with->map.pairs[i].value);
	return result;
}

/* list.extend() with a value of any kind. */
static void extend(struct model *model, struct node *result, const struct node *from)
{
	if (node_is_sequence(from))
		for (uint32_t i = 0; i < from->seq.count; i++)
			push(model, result, from->seq.items[i]);
	else if (node_is_map(from))
		for (uint32_t i = 0; i < from->map.count; i++)
			push(model, result, from->map.pairs[i].key);
	else if (!is_string(from) || from->text.len > 0)
		model->failed = true;
}

static const struct node *merge_lists(
	struct model *model, const struct node *value, const struct node *with)
{
	struct node *result = check(node_new_sequence(model->arena, NULL));
	unsigned options = model->mergers->list;
	bool has_append = is_set(options, APPEND), has_prepend = is_set(options, PREPEND);

	if (has_append || has_prepend) {
		extend(model, result, has_append ? value : with);
		extend(model, result, has_append ? with : value);
		return result;
	}
	if (is_set(options, REPLACE) || !is_set(options, NO_REPLACE)) {
		if (!node_is_sequence(with))
			return with;
	} else if (node_is_sequence(with) || is_string(with)) {
		return value;
	} else {
		/* A map is asked for the keys 0, 1 …, and the models' trees have none of them. */
		if (!node_is_map(with) || (value->seq.count > 0 && with->map.count > 0))
			model->failed = true;
		return value;
	}
	for (uint32_t i = 0; i < value->seq.count; i++) {
		const struct node *old = value->seq.items[i];
		const struct node *new = i < with->seq.count ? with->seq.items[i] : NULL;
		if (!new)
			push(model, result, old);
		else if (recurses(options, is_set(options, RECURSE_DICT), new))
			push(model, result, merge_values(model, old, new));
		else
			push(model, result, new);
	}
	return result;
}

static const struct node *merge_strings(
	struct model *model, const struct node *value, const struct node *with)
{
	if (!is_set(model->mergers->str, APPEND))
		return with;
	if (!is_string(with)) {
		model->failed = true;
		return with;
	}
	char *text = check(arena_printf(model->arena, "%s%s", value->text.data, with->text.data));
	return check(node_new_scalar(model->arena, span_of(text), NODE_DOUBLE));
}

static const struct node *merge_values(
	struct model *model, const struct node *value, const struct node *with)
{
	if (node_is_map(value) && model->mergers->has_dict)
		return merge_dicts(model, value, with);
	if (node_is_sequence(value) && model->mergers->has_list)
		return merge_lists(model, value, with);
	if (is_string(value) && model->mergers->has_str)
		return merge_strings(model, value, with);
	return value;
}

const struct node *cloud_init_model_merge(
	struct arena *arena, const struct part *parts, size_t count, bool is_stack)
{
	const struct mergers usual = {true, true, true, 1u << REPLACE, 0, 0};
	const struct mergers *stacked = &usual;
	const struct node *root = check(node_new_map(arena, NULL));
	struct model model = {.arena = arena};

	for (size_t i = 0; i < count; i++) {
		const struct mergers *own = parts[i].has_mergers ? &parts[i].mergers : NULL;
		model.mergers = is_stack ? stacked : own ? own : &usual;
		root = merge_values(&model, root, parts[i].tree);
		stacked = own ? own : stacked;
	}
	return model.failed ? NULL : root;
}
