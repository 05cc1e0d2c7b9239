/*
 * The mergers dict, list and str, and the choice between them: the first merger that handles the
 * type of the *old* value merges it. If no merger handles it, the old value stays.
 */
#include <errno.h>
#include <stdio.h>

#include "cloud.h"
#include "lua_merger.h"
#include "origin_bound.h"
#include "scalar.h"

void cloud_note_taken(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with, const char *rule)
{
	const struct origin *known = origin_of(cloud->origins, with);
	const struct origin_why why = {rule, mergers->by};

	if (!cloud->origins || value == with)
		return;
	/*
	 * A script may merge the same values in turn. If each took over the steps of the other,
	 * their number would double each time.
	 */
	if (known && known->first)
		origin_note(cloud->origins, with, origin_bound_place(value, cloud->arena),
			ORIGIN_LOST, why);
	else
		origin_replace(cloud->origins, with,
			origin_bound_lost(cloud->origins, value, cloud->arena), why);
}

void cloud_note(struct cloud *cloud, const struct cloud_dispatch *mergers, const struct node *value,
	const struct node *with, enum origin_fate fate, const char *rule)
{
	origin_note(cloud->origins, value, with, fate, (struct origin_why){rule, mergers->by});
}

enum cloud_kind cloud_kind(const struct node *node)
{
	if (node_is_sequence(node))
		return CLOUD_LIST;
	if (node_is_map(node))
		return node->tag && strcmp(node->tag, "tag:yaml.org,2002:set") == 0 ? CLOUD_OTHER
										    : CLOUD_DICT;
	switch (scalar_type(node)) {
	case SCALAR_NULL:
		return CLOUD_NULL;
	case SCALAR_BOOL:
		return CLOUD_BOOL;
	case SCALAR_INT:
		return CLOUD_INT;
	case SCALAR_FLOAT:
		return CLOUD_FLOAT;
	case SCALAR_STRING:
		return CLOUD_STR;
	case SCALAR_TIMESTAMP:
	case SCALAR_BINARY:
	case SCALAR_FOREIGN:
		break;
	}
	return CLOUD_OTHER;
}

/* Returns Python's name of the kind with its article, for messages, such as "an int". */
static const char *kind_name(enum cloud_kind kind)
{
	static const char *const names[CLOUD_KINDS] = {"a dict", "a list", "a str", "an int",
		"a float", "a bool", "null", "a value of another type"};

	return names[kind];
}

int cloud_spend(struct cloud *cloud, uint64_t units, const struct node *node)
{
	if (work_spend(&cloud->work, units))
		return 0;
	return problem_at(cloud->problem, node,
		"the parts together take too much work to merge; use fewer parts or smaller lists");
}

void cloud_freeze(const struct node *node)
{
	if (!(node->mark & CLOUD_OWNED))
		return;
	/* Not const: this merge made the owned node. */
	((struct node *)node)->mark &= MARK_TUPLE;
	for (uint32_t i = 0; i < node_count(node); i++)
		cloud_freeze(*node_entry(node, i));
}

/* Gives `node` itself if it may be changed, otherwise a copy that may. */
static int own(struct cloud *cloud, const struct node *node, struct node **ret)
{
	if (node->mark & CLOUD_OWNED) {
		*ret = (struct node *)node;
		return 0;
	}
	int r = cloud_spend(cloud, node_count(node), node);
	if (r != 0)
		return r;
	struct node *copy = node_copy(cloud->arena, node);
	if (!copy)
		return -ENOMEM;
	copy->mark |= CLOUD_OWNED;
	origin_bound_move(cloud->origins, node, copy);
	*ret = copy;
	return 0;
}

static bool recurses(const struct cloud_merger *merger, const struct node *with)
{
	return merger->recurses >> cloud_kind(with) & 1;
}

/* Copies the map without the pairs whose value was removed. */
static int without_deleted(struct cloud *cloud, struct node *map, struct node **ret)
{
	/* A new index takes longer than a copy. */
	int r = cloud_spend(cloud, 4 * (uint64_t)map->map.count, map);
	if (r != 0)
		return r;
	struct node *kept = node_new_map(cloud->arena, map);
	if (!kept)
		return -ENOMEM;
	kept->mark = CLOUD_OWNED;
	for (uint32_t i = 0; r == 0 && i < map->map.count; i++)
		if (map->map.pairs[i].value)
			r = node_append(cloud->arena, kept, &map->map.pairs[i]);
	origin_move(cloud->origins, map, kept);
	*ret = kept;
	return r;
}

static void note_removed(struct cloud *cloud, const struct node *map, const struct pair *pair,
	const struct node *null)
{
	if (cloud->origins)
		origin_remove(cloud->origins, map, pair->key,
			origin_bound_lost(cloud->origins, pair->value, cloud->arena),
			(struct origin_why){"dict(allow_delete)", null});
}

static int merge_same_key(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct cloud_merger *merger, struct node *map, struct pair *at,
	const struct node *with)
{
	const struct node *value = at->value;
	uint32_t weight = value->weight;

	if (merger->method == MERGER_REPLACE) {
		cloud_note_taken(cloud, mergers, value, with, "dict(replace)");
		value = with;
	} else if (recurses(merger, with)) {
		int r = cloud_merge(cloud, mergers, value, with, &value);
		if (r != 0)
			return r;
	} else {
		cloud_note(cloud, mergers, value, with, ORIGIN_LOST,
			"dict(no_replace): the old value is kept");
		return 0;
	}
	at->value = value;
	node_reweigh(map, weight, value->weight);
	return 0;
}

/* Fills an empty map with the whole other map, in the style of that. */
static int fill_dict(
	struct cloud *cloud, const struct node *value, const struct node *with, struct node **ret)
{
	int r = own(cloud, with, ret);

	if (r != 0 || !cloud->origins)
		return r;
	/*
	 * The origins of the empty map belong to this place, and so does its own place, if it has
	 * one.
	 */
	if (value->source) {
		(*ret)->source = value->source;
		(*ret)->line = value->line;
		(*ret)->column = value->column;
	}
	origin_bound_move(cloud->origins, value, *ret);
	for (uint32_t i = 0; i < with->map.count; i++)
		origin_restore(
			cloud->origins, *ret, with->map.pairs[i].key, with->map.pairs[i].value);
	return 0;
}

static int merge_pairs(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct cloud_merger *merger, struct node **map, const struct node *with)
{
	bool has_deleted = false;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < with->map.count; i++) {
		const struct pair *pair = &with->map.pairs[i];
		const struct pair *found = node_find_as_python(*map, pair->key, pair->hash);
		if (!found) {
			origin_restore(cloud->origins, *map, pair->key, pair->value);
			r = node_append(cloud->arena, *map, pair);
			continue;
		}
		struct pair *at = &(*map)->map.pairs[found - (*map)->map.pairs];
		if (merger->allow_delete && scalar_is_null(pair->value)) {
			note_removed(cloud, *map, at, pair->value);
			at->value = NULL;
			has_deleted = true;
		} else {
			r = merge_same_key(cloud, mergers, merger, *map, at, pair->value);
		}
	}
	return r == 0 && has_deleted ? without_deleted(cloud, *map, map) : r;
}

static int merge_dict(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct cloud_merger *merger, const struct node *value, const struct node *with,
	const struct node **ret)
{
	struct node *map;

	if (cloud_kind(with) != CLOUD_DICT) {
		*ret = value;
		cloud_note(cloud, mergers, value, with, ORIGIN_LOST,
			"dict(): a value of another kind is not merged into a dict");
		return 0;
	}
	int r = cloud_spend(cloud, with->map.count, with);
	if (r != 0)
		return r;
	if (value->map.count == 0) {
		r = fill_dict(cloud, value, with, &map);
	} else {
		r = own(cloud, value, &map);
		if (r == 0)
			r = merge_pairs(cloud, mergers, merger, &map, with);
	}
	if (r != 0)
		return r;
	*ret = map;
	cloud_note(cloud, mergers, map, with, ORIGIN_PART,
		merger->method == MERGER_REPLACE ? "dict(replace)" : "dict(no_replace)");
	return 0;
}

/* Makes room for `count` items at the front, which stay unset. */
static int shift(struct cloud *cloud, struct node *list, uint32_t count)
{
	uint32_t old = list->seq.count;
	const struct node **items = list->seq.items;

	if (count > UINT32_MAX / 4 - old)
		return -ENOMEM;
	int r = cloud_spend(cloud, old / WORK_SHIFT + count, list);
	if (r != 0)
		return r;
	if (list->seq.capacity < old + count) {
		uint32_t capacity = 2 * (old + count);
		items = arena_alloc(cloud->arena, capacity * sizeof(const struct node *));
		if (!items)
			return -ENOMEM;
		list->seq.capacity = capacity;
	}
	if (old > 0)
		memmove(items + count, list->seq.items, old * sizeof(*items));
	list->seq.items = items;
	list->seq.count += count;
	return 0;
}

/* Counts the items that Python's list.extend() would take from `with`. */
static int extent(struct cloud *cloud, const struct node *with, uint32_t *ret)
{
	enum cloud_kind kind = cloud_kind(with);

	if (kind == CLOUD_LIST)
		*ret = with->seq.count;
	else if (kind == CLOUD_DICT)
		*ret = with->map.count;
	else if (kind == CLOUD_STR && with->text.len == 0)
		*ret = 0;
	else if (kind == CLOUD_STR)
		return problem_at(cloud->problem, with,
			"a str can't be added to a list: cloud-init would add each of its "
			"characters; "
			"make it a list of one");
	else
		return problem_at(cloud->problem, with,
			"%s can't be added to a list: it is not iterable; make it a list of one",
			kind_name(kind));
	return 0;
}

/* A dict adds its keys, as in Python. */
static const struct node *item_of(const struct node *with, uint32_t i)
{
	return node_is_map(with) ? with->map.pairs[i].key : with->seq.items[i];
}

static int extend_list(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct cloud_merger *merger, const struct node *value, const struct node *with,
	const struct node **ret)
{
	bool is_append = merger->method == MERGER_APPEND;
	struct node *list = NULL;
	uint32_t count = 0;

	int r = extent(cloud, with, &count);
	if (r == 0)
		r = cloud_spend(cloud, count, with);
	if (r == 0)
		r = own(cloud, value, &list);
	if (r != 0)
		return r;
	*ret = list;
	cloud_note(cloud, mergers, list, with, ORIGIN_PART,
		is_append ? "list(append)" : "list(prepend)");
	if (is_append) {
		for (uint32_t i = 0; r == 0 && i < count; i++)
			r = node_push(cloud->arena, list, item_of(with, i));
		return r;
	}
	r = shift(cloud, list, count);
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		list->seq.items[i] = item_of(with, i);
		node_reweigh(list, 0, list->seq.items[i]->weight);
	}
	return r;
}

/* Python reads with[0] … with[count - 1] without using them, and raises if one is missing. */
static int look_at_items(struct cloud *cloud, const struct node *value, const struct node *with)
{
	enum cloud_kind kind = cloud_kind(with);

	if (kind == CLOUD_LIST || kind == CLOUD_STR)
		return 0;
	if (kind != CLOUD_DICT)
		return problem_at(cloud->problem, with,
			"%s can't be merged with a list: it has no length", kind_name(kind));
	for (uint32_t i = 0; i < value->seq.count && i < with->map.count; i++) {
		char text[16];
		int len = snprintf(text, sizeof(text), "%u", (unsigned)i);
		struct node key = {
			.kind = NODE_SCALAR, .schema = NODE_JSON, .text = {text, (size_t)len}};
		if (!node_find_as_python(with, &key, node_hash(&key)))
			return problem_at(cloud->problem, with,
				"a dict can't be merged with a list: it has no key %u",
				(unsigned)i);
	}
	return 0;
}

static int merge_items(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct cloud_merger *merger, struct node *list, const struct node *with)
{
	uint32_t i;
	int r = 0;

	cloud_note(cloud, mergers, list, with, ORIGIN_PART, "list(replace): item by item");
	for (i = 0; r == 0 && i < list->seq.count && i < with->seq.count; i++) {
		const struct node *old = list->seq.items[i], *item = with->seq.items[i];
		uint32_t weight = old->weight;
		if (recurses(merger, item))
			r = cloud_merge(cloud, mergers, old, item, &item);
		else
			cloud_note_taken(cloud, mergers, old, item, "list(replace): item by item");
		if (r != 0)
			break;
		list->seq.items[i] = item;
		node_reweigh(list, weight, item->weight);
	}
	for (; r == 0 && cloud->origins && i < with->seq.count; i++)
		cloud_note(cloud, mergers, list, with->seq.items[i], ORIGIN_LOST,
			"list(replace): the list stays as long as it was");
	return r;
}

static int merge_list(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct cloud_merger *merger, const struct node *value, const struct node *with,
	const struct node **ret)
{
	struct node *list;

	if (merger->method == MERGER_APPEND || merger->method == MERGER_PREPEND)
		return extend_list(cloud, mergers, merger, value, with, ret);
	if (merger->method == MERGER_NO_REPLACE) {
		*ret = value;
		cloud_note(cloud, mergers, value, with, ORIGIN_LOST,
			"list(no_replace): the old value is kept");
		return look_at_items(cloud, value, with);
	}
	if (!node_is_sequence(with) && value->mark & MARK_TUPLE)
		return problem_at(cloud->problem, with,
			"%s can't be merged into an item of '!!omap' or '!!pairs': cloud-init "
			"would "
			"make a list of its %s; make it a list, or leave '%s' out of 'list()'",
			kind_name(cloud_kind(with)), node_is_map(with) ? "keys" : "characters",
			node_is_map(with) ? "recurse_dict" : "recurse_str");
	if (!node_is_sequence(with)) {
		*ret = with;
		cloud_note_taken(cloud, mergers, value, with, "list(replace)");
		return 0;
	}

	int r = cloud_spend(cloud, with->seq.count, with);
	if (r == 0)
		r = own(cloud, value, &list);
	if (r == 0)
		r = merge_items(cloud, mergers, merger, list, with);
	if (r == 0)
		*ret = list;
	return r;
}

/* Returns the style of the old string; plain only if the joined text reads as the same string. */
static enum node_style joined_style(const struct node *value, const struct node *joined)
{
	if (value->style != NODE_PLAIN)
		return (enum node_style)value->style;
	return scalar_type(joined) == SCALAR_STRING &&
			       !memchr(joined->text.data, '\n', joined->text.len)
		       ? NODE_PLAIN
		       : NODE_DOUBLE;
}

static int merge_str(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct cloud_merger *merger, const struct node *value, const struct node *with,
	const struct node **ret)
{
	*ret = with;
	if (merger->method != MERGER_APPEND) {
		cloud_note_taken(cloud, mergers, value, with, "str(): the new value is taken");
		return 0;
	}
	if (cloud_kind(with) != CLOUD_STR)
		return problem_at(cloud->problem, with, "%s can't be appended to a str",
			kind_name(cloud_kind(with)));

	size_t len = value->text.len + with->text.len;
	int r = cloud_spend(cloud, len / 4, with);
	if (r != 0)
		return r;
	char *text = arena_alloc(cloud->arena, len + 1);
	struct node *joined = node_copy(cloud->arena, value);
	if (!text || !joined)
		return -ENOMEM;
	memcpy(text, value->text.data, value->text.len);
	memcpy(text + value->text.len, with->text.data, with->text.len);
	text[len] = '\0';
	joined->text = (struct span){text, len};
	joined->style = (uint8_t)joined_style(value, joined);
	origin_bound_move(cloud->origins, value, joined);
	cloud_note(cloud, mergers, joined, with, ORIGIN_PART, "str(append)");
	*ret = joined;
	return 0;
}

static void note_unhandled(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with)
{
	enum cloud_kind kind = cloud_kind(value);
	const char *rule = arena_printf(cloud->arena, "no merger handles %s: the old %s is kept",
		kind == CLOUD_OTHER ? "a value of this type" : kind_name(kind),
		kind == CLOUD_OTHER ? "one" : "value");

	cloud_note(cloud, mergers, value, with, ORIGIN_LOST, rule ? rule : "no merger handles it");
}

int cloud_merge(struct cloud *cloud, const struct cloud_dispatch *mergers, const struct node *value,
	const struct node *with, const struct node **ret)
{
	enum cloud_kind kind = cloud_kind(value);
	const struct cloud_merger *merger = mergers->of[kind];
	int r;

	if (!merger) {
		*ret = value;
		if (cloud->origins)
			note_unhandled(cloud, mergers, value, with);
		return 0;
	}
	/* Trees are not that deep; only a merger in Lua can call itself so often. */
	if (cloud->depth > cloud->merge->request->limits.depth)
		return problem_at(cloud->problem, with,
			"mergers call each other more than %u deep; raise the limit 'depth'",
			cloud->merge->request->limits.depth);
	cloud->depth++;
	if (merger->custom)
		r = lua_merger_call(merger->custom, kind, value, with, ret);
	else if (kind == CLOUD_DICT)
		r = merge_dict(cloud, mergers, merger, value, with, ret);
	else if (kind == CLOUD_LIST)
		r = merge_list(cloud, mergers, merger, value, with, ret);
	else
		r = merge_str(cloud, mergers, merger, value, with, ret);
	cloud->depth--;
	return r;
}
