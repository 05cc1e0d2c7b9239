#include "pillar_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scalar.h"

static struct value *new_value(struct model *model, enum node_kind kind)
{
	struct value *value = arena_zalloc(model->arena, 1, sizeof(*value));

	assert_non_null(value);
	value->kind = kind;
	return value;
}

static void add(struct model *model, struct value *to, const struct node *key, struct value *value)
{
	const struct node **keys = arena_zalloc(model->arena, to->count + 1, sizeof(*keys));
	struct value **values = arena_zalloc(model->arena, to->count + 1, sizeof(*values));

	assert_true(keys && values);
	for (size_t i = 0; i < to->count; i++) {
		keys[i] = to->keys[i];
		values[i] = to->values[i];
	}
	keys[to->count] = key;
	values[to->count] = value;
	to->keys = keys;
	to->values = values;
	to->count++;
}

bool model_is_word(const struct node *node, const char *word)
{
	return node->kind == NODE_SCALAR && strcmp(node->text.data, word) == 0;
}

/* A file's value, with its markers removed and remembered. */
static struct value *load(struct model *model, const struct node *node)
{
	struct value *value = new_value(model, node->kind);

	if (node->kind == NODE_SCALAR) {
		value->scalar = node;
	} else if (node->kind == NODE_SEQUENCE) {
		for (uint32_t i = 0; i < node->seq.count; i++) {
			if (value->count == 0 && model_is_word(node->seq.items[i], "_replace"))
				value->is_shielded = true;
			else
				add(model, value, NULL, load(model, node->seq.items[i]));
		}
	} else {
		for (uint32_t i = 0; i < node->map.count; i++) {
			const struct pair *pair = &node->map.pairs[i];

			if (model_is_word(pair->key, "_control") &&
				model_is_word(pair->value, "_replace"))
				value->is_shielded = true;
			else
				add(model, value, pair->key, load(model, pair->value));
		}
	}
	return value;
}

static struct value *copy(struct model *model, const struct value *from, bool with_shields)
{
	struct value *value = new_value(model, from->kind);

	value->scalar = from->scalar;
	value->is_shielded = from->is_shielded && with_shields;
	for (size_t i = 0; i < from->count; i++)
		add(model, value, from->keys[i], copy(model, from->values[i], with_shields));
	return value;
}

static struct value *get(const struct value *map, const struct node *key)
{
	for (size_t i = 0; i < map->count; i++)
		if (node_equal(map->keys[i], key))
			return map->values[i];
	return NULL;
}

static bool equal(const struct value *a, const struct value *b)
{
	if (a->kind != b->kind || a->count != b->count)
		return false;
	if (a->kind == NODE_SCALAR)
		return scalar_equal(a->scalar, b->scalar);
	for (size_t i = 0; i < a->count; i++) {
		const struct value *other = a->kind == NODE_MAP ? get(b, a->keys[i]) : b->values[i];

		if (!other || !equal(a->values[i], other))
			return false;
	}
	return true;
}

static bool has(const struct value *list, const struct value *item)
{
	for (size_t i = 0; i < list->count; i++)
		if (equal(list->values[i], item))
			return true;
	return false;
}

static struct value *combine(struct model *model, const struct value *a, const struct value *b)
{
	struct value *value = copy(model, a, true);

	if (a->kind != b->kind || a->is_shielded || a->kind == NODE_SCALAR)
		return value;
	for (size_t i = 0; i < b->count; i++) {
		if (a->kind == NODE_SEQUENCE) {
			if (!has(value, b->values[i]))
				add(model, value, NULL, copy(model, b->values[i], true));
			continue;
		}
		struct value *ours = get(a, b->keys[i]);

		if (!ours) {
			add(model, value, b->keys[i], copy(model, b->values[i], true));
			continue;
		}
		for (size_t j = 0; j < value->count; j++)
			if (node_equal(value->keys[j], b->keys[i]))
				value->values[j] = combine(model, ours, b->values[i]);
	}
	value->is_shielded = b->is_shielded;
	return value;
}

static void put(struct model *model, struct value *map, const struct node *key, struct value *value)
{
	for (size_t i = 0; i < map->count; i++) {
		if (node_equal(map->keys[i], key)) {
			map->values[i] = value;
			return;
		}
	}
	add(model, map, key, value);
}

static struct value *take(struct value *map, const char *key)
{
	for (size_t i = 0; i < map->count; i++) {
		struct value *value = map->values[i];

		if (!model_is_word(map->keys[i], key))
			continue;
		for (size_t j = i + 1; j < map->count; j++) {
			map->keys[j - 1] = map->keys[j];
			map->values[j - 1] = map->values[j];
		}
		map->count--;
		return value;
	}
	return NULL;
}

static const struct pillar_tree_file *find(struct model *model, const struct node *name)
{
	char path[64];

	/* Random files lie in the root. */
	snprintf(path, sizeof(path), "%s.yaml", name->text.data);
	return pillar_tree_get(model->tree, path);
}

static bool is_open(const struct model *model, const struct pillar_tree_file *file)
{
	for (size_t i = 0; i < model->depth; i++)
		if (model->stack[i] == file)
			return true;
	return false;
}

static int follow(struct model *model, const struct value *names, struct value **root)
{
	size_t count = names->kind == NODE_SCALAR ? 1 : names->count;

	for (size_t i = 0; i < count; i++) {
		const struct node *name =
			names->kind == NODE_SCALAR ? names->scalar : names->values[i]->scalar;
		const struct pillar_tree_file *file = find(model, name);
		struct value *built = NULL;
		int r;

		if (!file)
			return MODEL_ABSENT;
		if (is_open(model, file))
			return MODEL_CYCLE;
		r = model_build(model, file, &built);
		if (r != MODEL_FINE)
			return r;
		if (built)
			*root = combine(model, *root, built);
	}
	return MODEL_FINE;
}

static int put_neighbours(struct model *model, struct value *root)
{
	struct value *names = NULL;

	for (size_t i = 0; i < root->count; i++)
		if (model_is_word(root->keys[i], "_neighbours"))
			names = root->values[i];
	for (size_t i = 0; names && i < (names->kind == NODE_SCALAR ? 1 : names->count); i++) {
		const struct node *name =
			names->kind == NODE_SCALAR ? names->scalar : names->values[i]->scalar;
		const struct pillar_tree_file *file = find(model, name);
		struct value *built = NULL;
		int r;

		if (!file)
			return MODEL_ABSENT;
		if (is_open(model, file))
			continue;
		r = model_build(model, file, &built);
		if (r != MODEL_FINE)
			return r;
		assert_non_null(built);
		put(model, root, name, built);
	}
	return MODEL_FINE;
}

static int build_layer(struct model *model, const struct node *node, struct value **ret)
{
	static const char *const keys[] = {"_merge", "_parent", "_data"};
	struct value *root = load(model, node), *names[3] = {0};

	if (root->kind == NODE_MAP) {
		int r = MODEL_FINE;

		for (size_t i = 0; i < 3; i++)
			names[i] = take(root, keys[i]);
		for (size_t i = 0; r == MODEL_FINE && i < 3; i++)
			if (names[i])
				r = follow(model, names[i], &root);
		if (r == MODEL_FINE)
			r = put_neighbours(model, root);
		if (r != MODEL_FINE)
			return r;
	}
	*ret = root;
	return MODEL_FINE;
}

int model_build(struct model *model, const struct pillar_tree_file *file, struct value **ret)
{
	const struct node *above = NULL;
	struct value *root = NULL;

	assert_true(model->depth < STACK_MAX);
	model->stack[model->depth++] = file;
	for (size_t i = file->count; i-- > 0;) {
		struct value *layer;
		int r;

		if (file->documents[i]->count == 0)
			continue;
		if (above && above->kind != file->documents[i]->roots[0]->kind &&
			!scalar_is_null(above) && !scalar_is_null(file->documents[i]->roots[0]))
			return MODEL_KINDS;
		above = file->documents[i]->roots[0];
		r = build_layer(model, above, &layer);
		if (r != MODEL_FINE)
			return r;
		root = root ? combine(model, root, layer) : layer;
	}
	model->depth--;
	*ret = root ? copy(model, root, false) : NULL;
	return MODEL_FINE;
}

bool model_is_same(const struct value *value, const struct node *node)
{
	if (value->kind != node->kind)
		return false;
	if (value->kind == NODE_SCALAR)
		return span_equal(value->scalar->text, node->text) &&
		       scalar_type(value->scalar) == scalar_type(node);
	if (value->count != (node_is_map(node) ? node->map.count : node->seq.count))
		return false;
	for (size_t i = 0; i < value->count; i++) {
		if (node_is_map(node)
				? !node_equal(value->keys[i], node->map.pairs[i].key) ||
					  !model_is_same(value->values[i], node->map.pairs[i].value)
				: !model_is_same(value->values[i], node->seq.items[i]))
			return false;
	}
	return true;
}
