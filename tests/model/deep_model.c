#include "deep_model.h"

#include <assert.h>
#include <stdlib.h>

#include "scalar.h"

#define PATH_MAX_WORDS 32

static const char GONE[] = "(gone)";

/* The keys from the root. */
struct path {
	const char *words[PATH_MAX_WORDS];
	size_t count;
};

static const struct node *combine(struct deep_model *model, const struct node *below,
	const struct node *value, struct path path);

static void *check(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static void push(struct deep_model *model, struct node *list, const struct node *item)
{
	/* After a failure the tree must not be used. */
	if (!model->failed && node_push(model->arena, list, item) < 0)
		abort();
}

static void add(struct deep_model *model, struct node *map, const struct node *key,
	const struct node *value)
{
	const struct pair pair = {key, value, node_hash(key)};

	if (node_append(model->arena, map, &pair) < 0)
		abort();
}

static bool is_tag(const struct node *node, const char *one, const char *other)
{
	return node->tag && (strcmp(node->tag, one) == 0 || strcmp(node->tag, other) == 0);
}

static bool is_gone(const struct node *node)
{
	return node->tag == GONE;
}

bool deep_model_is_delete(const struct node *node)
{
	return is_tag(node, "!delete", "!reset");
}

bool deep_model_is_list_tag(const struct node *node)
{
	return is_tag(node, "!append", "!prepend") || is_tag(node, "!unique", "!unique");
}

bool deep_model_is_directive(const struct node *node)
{
	return deep_model_is_delete(node) || is_tag(node, "!replace", "!override") ||
	       deep_model_is_list_tag(node);
}

static const char *foreign(const struct node *node)
{
	return deep_model_is_directive(node) || !node->tag ? "" : node->tag;
}

static bool pattern_matches(const char *pattern, const struct path *path, size_t from)
{
	size_t len = strcspn(pattern, ".");
	const char *rest = pattern[len] ? pattern + len + 1 : NULL;

	if (len == 2 && strncmp(pattern, "**", 2) == 0) {
		for (size_t i = from; i <= path->count; i++)
			if (rest ? pattern_matches(rest, path, i) : i == path->count)
				return true;
		return false;
	}
	if (from == path->count)
		return false;
	if (len == 1 && *pattern == '*')
		return !rest || pattern_matches(rest, path, from + 1);
	if (strncmp(path->words[from], pattern, len) != 0 || path->words[from][len])
		return false;
	return rest ? pattern_matches(rest, path, from + 1) : from + 1 == path->count;
}

static unsigned spelled(const char *pattern)
{
	unsigned count = *pattern != 0;

	for (const char *at = pattern; *at; at++)
		count += *at == '.';
	for (const char *at = pattern; (at = strchr(at, '*')); at += strspn(at, "*"))
		count--;
	return count;
}

static const char *mode_at(const struct deep_model *model, const struct path *path)
{
	const struct deep_model_rule *best = NULL;

	for (size_t i = 0; i < model->rule_count; i++) {
		const struct deep_model_rule *rule = &model->rules[i];
		bool is_all = strcmp(rule->pattern, "*") == 0;
		bool is_root = rule->pattern[0] == '\0';

		if (is_root ? path->count > 0 : !is_all && !pattern_matches(rule->pattern, path, 0))
			continue;
		if (!best || spelled(rule->pattern) >= spelled(best->pattern))
			best = rule;
	}
	return best ? best->mode : "replace";
}

static struct node *bare(struct deep_model *model, const struct node *node)
{
	struct node *copy = check(node_copy(model->arena, node));

	if (deep_model_is_directive(copy))
		copy->tag = NULL;
	return copy;
}

static struct node *empty_like(struct deep_model *model, const struct node *node)
{
	struct node *copy = node_is_map(node) ? node_new_map(model->arena, node)
					      : node_new_sequence(model->arena, node);

	check(copy);
	if (deep_model_is_directive(copy))
		copy->tag = NULL;
	return copy;
}

static const struct node *gone(struct deep_model *model, const struct node *key)
{
	struct node *mark = check(node_new_map(model->arena, NULL));
	struct node *name = check(node_new_scalar(model->arena, span_of("name"), NODE_PLAIN));

	mark->tag = GONE;
	if (key)
		add(model, mark, name, key);
	return mark;
}

static const struct node *scalar_at(const struct node *map, const char *key)
{
	const struct node *value = map && node_is_map(map) ? node_get(map, key) : NULL;

	return value && node_is_scalar(value) && !scalar_is_empty(value) ? value : NULL;
}

static const struct node *both_keys(const struct deep_model *model, const struct node *item)
{
	struct node *pair = check(node_new_sequence(model->arena, NULL));
	bool has_any = false;

	for (int i = 0; i < 2; i++) {
		const struct node *value = scalar_at(item, model->by[i]);

		if (!value || scalar_is_null(value))
			value = check(node_new_scalar(model->arena, span_of("null"), NODE_PLAIN));
		else
			has_any = true;
		if (node_push(model->arena, pair, value) < 0)
			abort();
	}
	return has_any ? pair : NULL;
}

static struct node *text_node(const struct deep_model *model, const struct node *like, size_t len)
{
	struct node *text = check(node_copy(model->arena, like));

	text->tag = NULL;
	text->style = NODE_PLAIN;
	text->schema = NODE_TEXT;
	text->text.data = check(arena_copy(model->arena, (struct span){like->text.data, len}));
	text->text.len = len;
	return text;
}

static const struct node *part_of(const struct deep_model *model, const struct node *item)
{
	size_t len =
		node_is_scalar(item) && !scalar_is_null(item) ? strcspn(item->text.data, ".") : 0;

	return len ? text_node(model, item, len) : NULL;
}

static const struct node *key_of(const struct deep_model *model, const struct node *item)
{
	if (is_gone(item))
		return node_get(item, "name");
	if (model->way == DEEP_MODEL_BEFORE)
		return part_of(model, item);
	if (model->way == DEEP_MODEL_ALL)
		return both_keys(model, item);
	if (model->way == DEEP_MODEL_NESTED)
		return scalar_at(
			node_is_map(item) ? node_get(item, model->by[0]) : NULL, model->by[1]);
	for (int i = 0; i < 2 && model->by[i]; i++) {
		const struct node *key = node_is_map(item) ? node_get(item, model->by[i]) : NULL;
		bool is_last = i == 1 || !model->by[1];

		if (key && node_is_scalar(key) && !scalar_is_empty(key) &&
			(is_last || (key->text.len > 0 && !scalar_is_null(key))))
			return key;
	}
	return NULL;
}

static bool has_key(const struct deep_model *model, const struct node *item, const struct node *key)
{
	return key_of(model, item) && node_equal(key_of(model, item), key);
}

static bool has_content(const struct node *node)
{
	struct node copy = *node;

	copy.tag = NULL;
	if (node_is_scalar(node))
		return !scalar_is_null(&copy) && copy.text.len > 0;
	return (node_is_map(node) ? node->map.count : node->seq.count) > 0;
}

/* Whether a directive stands at the item's key, or beside what !delete may have. */
static bool is_key_misused(
	const struct deep_model *model, const struct node *item, const struct node *key)
{
	uint32_t allowed = 1;

	if (deep_model_is_delete(item) && !key)
		return true;
	if (!key || model->way == DEEP_MODEL_BEFORE)
		return false;
	if (model->way == DEEP_MODEL_ALL) {
		const struct node *one = scalar_at(item, model->by[0]);
		const struct node *other = scalar_at(item, model->by[1]);

		/* A null counts as missing, whatever its tag. */
		if ((one && !scalar_is_null(one) && deep_model_is_directive(one)) ||
			(other && !scalar_is_null(other) && deep_model_is_directive(other)))
			return true;
		allowed = (one ? 1u : 0) + (other ? 1 : 0);
	} else if (deep_model_is_directive(key)) {
		return true;
	}
	if (model->way == DEEP_MODEL_NESTED && node_get(item, model->by[0])->map.count > 1)
		allowed = 0;
	return deep_model_is_delete(item) && item->map.count > allowed;
}

/*
 * Returns `below` with one item of a keyed list in place of the one with that key that has `skip`
 * such items in front of it, or with all of that key removed if `item` is NULL.
 */
static const struct node *put_item(struct deep_model *model, const struct node *below,
	const struct node *key, const struct node *value, uint32_t skip, struct path path)
{
	struct node *result = empty_like(model, below);
	uint32_t first = UINT32_MAX, first_gone = UINT32_MAX;

	for (uint32_t i = 0; i < below->seq.count; i++) {
		const struct node *item = below->seq.items[i];
		if (!has_key(model, item, key))
			continue;
		if (is_gone(item) && first_gone == UINT32_MAX)
			first_gone = i;
		else if (!is_gone(item) && first == UINT32_MAX && skip-- == 0)
			first = i;
	}
	for (uint32_t i = 0; i < below->seq.count; i++) {
		const struct node *item = below->seq.items[i];
		bool is_match = has_key(model, item, key);

		if (i == (first != UINT32_MAX ? first : first_gone)) {
			if (!value)
				push(model, result, gone(model, key));
			else
				push(model, result,
					combine(model, is_gone(item) ? NULL : item, value, path));
		} else if (!is_match || (value && !is_gone(item))) {
			push(model, result, item);
		}
	}
	if (value && first == UINT32_MAX && first_gone == UINT32_MAX)
		push(model, result, combine(model, NULL, value, path));
	return result;
}

static uint32_t count_key(
	const struct deep_model *model, const struct node *list, const struct node *key)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < list->seq.count; i++)
		count += !is_gone(list->seq.items[i]) && has_key(model, list->seq.items[i], key);
	return count;
}

static const struct node *by_key(struct deep_model *model, const struct node *below,
	const struct node *value, struct path path)
{
	const struct node *at_first = below;

	for (uint32_t i = 0; i < value->seq.count && !model->failed; i++) {
		const struct node *item = value->seq.items[i], *key = key_of(model, item);
		uint32_t before = 0, known = key ? count_key(model, at_first, key) : 0;

		for (uint32_t n = 0; key && n < i; n++) {
			const struct node *other = value->seq.items[n];
			if (!has_key(model, other, key))
				continue;
			before++;
			if (!model->twice || deep_model_is_delete(item))
				model->failed = true;
			if (deep_model_is_delete(other))
				before = known = 0;
		}
		if (is_key_misused(model, item, key))
			model->failed = true;
		if (model->failed)
			return NULL;

		if (key && (!before || before < known)) {
			below = put_item(model, below, key,
				deep_model_is_delete(item) ? NULL : item, before, path);
		} else {
			const struct node *added = combine(model, NULL, item, path);
			struct node *result = bare(model, below);
			if (model->failed)
				return NULL;
			push(model, result, added);
			below = result;
		}
	}
	return below;
}

static bool removes_value(struct deep_model *model, const struct node *item)
{
	if (!deep_model_is_delete(item) || !node_is_scalar(item))
		return false;
	model->failed |= scalar_is_empty(bare(model, item));
	return true;
}

static bool is_removed(struct deep_model *model, const struct node *value, const struct node *item)
{
	for (uint32_t i = 0; node_is_scalar(item) && i < value->seq.count; i++)
		if (removes_value(model, value->seq.items[i]) &&
			node_equal(bare(model, value->seq.items[i]), item))
			return true;
	return false;
}

/* The items alone, of a list that is not merged by key. */
static const struct node *items_alone(
	struct deep_model *model, const struct node *value, bool adds, struct path path)
{
	struct node *result = empty_like(model, value);

	for (uint32_t i = 0; i < value->seq.count && !model->failed; i++) {
		const struct node *item = value->seq.items[i];
		if (adds && removes_value(model, item))
			continue;
		if (deep_model_is_delete(item))
			model->failed = true;
		else
			item = combine(model, NULL, item, path);
		if (!model->failed)
			push(model, result, item);
	}
	return result;
}

static bool has(const struct node *list, const struct node *value)
{
	for (uint32_t i = 0; i < list->seq.count; i++)
		if (node_equal(list->seq.items[i], value))
			return true;
	return false;
}

static const struct node *clean(struct deep_model *model, const struct node *node);

static const struct node *lists(struct deep_model *model, const struct node *below,
	const struct node *value, const char *mode, struct path path)
{
	if (strcmp(mode, "by") == 0)
		return by_key(model, below, value, path);

	const struct node *items = items_alone(model, value, true, path);
	struct node *result = empty_like(model, below);
	if (model->failed)
		return NULL;
	if (strcmp(mode, "prepend") == 0)
		for (uint32_t i = 0; i < items->seq.count; i++)
			push(model, result, items->seq.items[i]);
	for (uint32_t i = 0; i < below->seq.count; i++)
		if (!is_removed(model, value, below->seq.items[i]))
			push(model, result, below->seq.items[i]);
	if (strcmp(mode, "append") == 0)
		for (uint32_t i = 0; i < items->seq.count; i++)
			push(model, result, items->seq.items[i]);
	if (strcmp(mode, "unique") == 0)
		for (uint32_t i = 0; i < items->seq.count; i++) {
			const struct node *item = clean(model, items->seq.items[i]);
			if (!has(clean(model, result), item))
				push(model, result, item);
		}
	return result;
}

static bool is_key_of(const struct node *map, const struct node *key)
{
	for (uint32_t i = 0; i < map->map.count; i++)
		if (node_equal(map->map.pairs[i].key, key))
			return true;
	return false;
}

/* Returns the map's key with the same characters, if it lacks this one, or the key itself. */
static const struct node *same_name(const struct node *map, const struct node *key)
{
	for (uint32_t i = 0; !is_key_of(map, key) && i < map->map.count; i++) {
		const struct node *other = map->map.pairs[i].key;

		if (node_is_scalar(other) && node_is_scalar(key) && !other->tag && !key->tag &&
			span_equal(other->text, key->text))
			return other;
	}
	return key;
}

/* Where a list may stand for a map, keys of two layers with the same characters are one. */
static const struct node *with_same_names(struct deep_model *model, const struct node *below,
	const struct node *value, const struct path *path)
{
	if (model->way != DEEP_MODEL_BEFORE || !node_is_map(value) || value->tag || below->tag ||
		strcmp(mode_at(model, path), "by") != 0)
		return value;
	struct node *result = empty_like(model, value);
	for (uint32_t i = 0; i < value->map.count; i++) {
		const struct pair *pair = &value->map.pairs[i];
		const struct node *key = same_name(below, pair->key);

		add(model, result, is_key_of(value, key) ? pair->key : key, pair->value);
	}
	return result;
}

static const struct node *maps(struct deep_model *model, const struct node *below,
	const struct node *value, struct path path)
{
	struct node *result = empty_like(model, below);

	value = with_same_names(model, below, value, &path);
	for (uint32_t i = 0; i < below->map.count; i++)
		add(model, result, below->map.pairs[i].key, below->map.pairs[i].value);

	assert(path.count < PATH_MAX_WORDS);
	path.count++;
	for (uint32_t i = 0; i < value->map.count && !model->failed; i++) {
		const struct pair *pair = &value->map.pairs[i];
		struct pair *old = NULL;

		for (uint32_t n = 0; n < result->map.count; n++)
			if (node_equal(result->map.pairs[n].key, pair->key))
				old = &result->map.pairs[n];
		path.words[path.count - 1] = pair->key->text.data;

		const struct node *merged = combine(
			model, old && !is_gone(old->value) ? old->value : NULL, pair->value, path);
		if (model->failed)
			return NULL;
		if (old)
			old->value = merged ? merged : gone(model, NULL);
		else if (merged)
			add(model, result, pair->key, merged);
	}
	return result;
}

static const struct node *alone(
	struct deep_model *model, const struct node *value, struct path path)
{
	if (node_is_map(value))
		return maps(model, empty_like(model, value), value, path);
	if (!node_is_sequence(value))
		return deep_model_is_directive(value) ? bare(model, value) : value;
	const char *mode = deep_model_is_directive(value) ? value->tag + 1 : mode_at(model, &path);
	if (strcmp(mode, "by") == 0)
		return by_key(model, empty_like(model, value), value, path);
	bool adds = strcmp(mode, "append") == 0 || strcmp(mode, "prepend") == 0 ||
		    strcmp(mode, "unique") == 0;
	return items_alone(model, value, adds, path);
}

/* Returns the map that a list of texts stands for; without `is_layer` a key may come again. */
static const struct node *to_map(
	struct deep_model *model, const struct node *list, const struct node *other, bool is_layer)
{
	struct node *map = check(node_new_map(model->arena, list));

	for (uint32_t i = 0; i < list->seq.count && !model->failed; i++) {
		const struct node *item = list->seq.items[i];
		size_t len = node_is_scalar(item) && !scalar_is_null(item)
				     ? strcspn(item->text.data, ".")
				     : 0;

		if (is_gone(item))
			continue;
		model->failed |= !len;
		if (model->failed)
			return NULL;
		const struct node *key = same_name(other, text_node(model, item, len));
		struct node *value = text_node(model, item, item->text.len);
		bool has_value = item->text.data[len] == '.';
		value->tag = item->tag;
		value->text = span_of(has_value ? item->text.data + len + 1 : "null");
		value->schema = has_value ? NODE_TEXT : NODE_YAML_1_2;
		if (deep_model_is_delete(item))
			value->text = span_of("");
		model->failed |= is_layer && !model->twice && node_find(map, key);
		if (node_put(model->arena, map, key, value) < 0)
			abort();
	}
	return model->failed ? NULL : map;
}

/* Makes a map of a list that stands for one, if the other of the two is a map. */
static void make_maps(struct deep_model *model, const struct node **below,
	const struct node **value, const struct path *path)
{
	bool is_layer = *below && node_is_sequence(*value);
	const struct node **list = is_layer ? value : below;
	const struct node *other = is_layer ? *below : *value;

	if (model->way == DEEP_MODEL_BEFORE && *list && node_is_sequence(*list) &&
		node_is_map(other) && !(*list)->tag && !other->tag &&
		strcmp(mode_at(model, path), "by") == 0)
		*list = to_map(model, *list, other, is_layer);
}

/* Returns the merge of a value with what lies below it, or NULL for nothing. Both may be NULL. */
static const struct node *combine(struct deep_model *model, const struct node *below,
	const struct node *value, struct path path)
{
	if (model->failed)
		return NULL;
	make_maps(model, &below, &value, &path);
	if (model->failed)
		return NULL;
	bool is_same_kind =
		below && below->kind == value->kind && strcmp(foreign(below), foreign(value)) == 0;

	if (deep_model_is_delete(value)) {
		model->failed = has_content(value);
		return NULL;
	}
	if (deep_model_is_list_tag(value)) {
		if (!node_is_sequence(value)) {
			model->failed = true;
			return NULL;
		}
		return is_same_kind ? lists(model, below, value, value->tag + 1, path)
				    : alone(model, value, path);
	}
	if (deep_model_is_directive(value))
		return alone(model, value, path);

	if (below && scalar_is_empty(value))
		return below;
	if (is_same_kind && node_is_map(value))
		return maps(model, below, value, path);
	if (is_same_kind && node_is_sequence(value) &&
		strcmp(mode_at(model, &path), "replace") != 0)
		return lists(model, below, value, mode_at(model, &path), path);
	return alone(model, value, path);
}

/* Removes the nodes that are gone. */
static const struct node *clean(struct deep_model *model, const struct node *node)
{
	if (node_is_scalar(node))
		return node;

	struct node *result = empty_like(model, node);
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++)
		if (!is_gone(node->map.pairs[i].value))
			add(model, result, node->map.pairs[i].key,
				clean(model, node->map.pairs[i].value));
	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++)
		if (!is_gone(node->seq.items[i]))
			push(model, result, clean(model, node->seq.items[i]));
	return result;
}

/*
 * A root of another kind than the layers below is an error, unless a tag shows that it is intended,
 * or null is below.
 */
static bool is_broken(const struct node *below, const struct node *value)
{
	return below && below->kind != value->kind && !*foreign(below) && !*foreign(value) &&
	       !scalar_is_null(below) && !deep_model_is_delete(value) &&
	       !is_tag(value, "!replace", "!override");
}

const struct node *deep_model_merge(
	struct deep_model *model, struct document *const *layers, size_t count)
{
	const struct node *result = NULL;
	const struct path root = {.count = 0};

	for (size_t i = 0; i < count && !model->failed; i++)
		for (size_t n = 0; n < layers[i]->count; n++)
			if (!scalar_is_empty(layers[i]->roots[n])) {
				model->failed |= is_broken(result, layers[i]->roots[n]);
				if (!model->failed)
					result = combine(model, result, layers[i]->roots[n], root);
			}
	return result && !model->failed ? clean(model, result) : NULL;
}
