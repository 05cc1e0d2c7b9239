#include <assert.h>
#include <errno.h>

#include "deep.h"
#include "item_key.h"
#include "scalar.h"

/*
 * How often the index of a list's values may be rebuilt. A rebuild is needed only if layers merge
 * one list by key and with !unique in turn; a hundred thousand such documents would take hours.
 */
#define REBUILDS_MAX 16

static const struct node *find_directive(const struct item_key *key)
{
	const struct node *value = key->count ? key->value : NULL;

	/* It has a place for each key, also for one that the item lacks. */
	for (uint32_t i = 0; value && node_is_sequence(value) && i < value->seq.count; i++)
		if (directive_of(value->seq.items[i]) != DIRECTIVE_NONE)
			return value->seq.items[i];
	return value && directive_of(value) != DIRECTIVE_NONE ? value : NULL;
}

/* Counts the scalars, and the maps and lists without entries. */
static uint32_t count_leaves(const struct node *node)
{
	uint32_t count = node_count(node) == 0;

	for (uint32_t i = 0; i < node_count(node); i++)
		count += count_leaves(*node_entry(node, i));
	return count;
}

/* Finds the key of a layer's item. */
static int check_item_key(struct deep *deep, const struct list_rule *rule, const struct node *item,
	struct item_key *ret)
{
	struct arena *arena = deep_key_arena(deep);
	struct problem *problem = deep->merge->problem;
	int r = item_key_find(item, rule->by, arena, ret);
	const struct node *tagged = find_directive(ret);
	bool is_deleted = directive_of(item) == DIRECTIVE_DELETE;

	if (r < 0 || (!tagged && !is_deleted && (ret->value || !rule->needs_key)))
		return r;
	const char *name = ret->value ? item_key_name(ret->way, arena) : rule->by_name;
	if (!name)
		return -ENOMEM;
	if (tagged)
		return problem_at(problem, tagged,
			"'%s' can't stand at '%s', the key by which the items of this list are "
			"matched; write a value",
			tagged->tag, name);
	if (!ret->value && !is_deleted)
		return problem_at(problem, item,
			"this item has no '%s', by which the items of this list are matched; add "
			"it, or remove 'required' from the rule",
			name);
	if (!ret->value)
		return problem_at(problem, item,
			"an item with '%s' needs the '%s' of the item to remove", item->tag, name);
	if (node_is_map(item) && count_leaves(item) > ret->count)
		return problem_at(problem, item,
			"an item with '%s' has its '%s' and nothing else; to replace the "
			"item below by this one, write '!replace'",
			item->tag, name);
	return 0;
}

/* A list of a layer that is merged by key. */
struct keyed {
	struct list *list;
	const struct list_rule *rule;
	const struct list_place *place;
	uint32_t pass;
};

static int append_item(struct deep *deep, const struct keyed *keyed, const struct node *item)
{
	const struct node *combined;
	int r = deep_combine(deep, NULL, item, keyed->place, &combined);

	return r == 0 ? list_push_back(keyed->list, combined) : r;
}

/* Refuses an item whose key an earlier item of its layer has. */
static int refuse_second(
	struct deep *deep, const struct list_entry *first, const struct item_key *key)
{
	const char *name = item_key_name(key->way, deep->scratch);
	const char *value = item_key_name(key->value, deep->scratch);

	if (!name || !value)
		return -ENOMEM;
	return problem_at(deep->merge->problem, key->value,
		"the %s '%s' comes twice in this list, first in line %u; make one item of both",
		name, value, (unsigned)first->by->line);
}

/*
 * Chooses the entry for an item of the layer's list. The first item with a key gets the key's first
 * entry, the next item the next entry. LIST_NONE: there is no such entry.
 */
static int choose_entry(struct deep *deep, const struct keyed *keyed, const struct node *item,
	const struct item_key *key, uint32_t *ret)
{
	uint32_t first;
	int r = list_find_key(keyed->list, keyed->rule, key->value, &first);

	if (r < 0)
		return r;
	struct list_entry *known = &keyed->list->entries[first];
	bool is_deleted = directive_of(item) == DIRECTIVE_DELETE;
	bool is_second = known->pass == keyed->pass;
	if (is_second && (keyed->rule->twice == LIST_TWICE_ERROR || is_deleted))
		return refuse_second(deep, known, key);
	*ret = is_second && keyed->rule->twice == LIST_TWICE_SECOND ? known->following : first;
	known->pass = keyed->pass;
	known->by = key->value;
	if (*ret != LIST_NONE)
		known->following = is_deleted ? first : keyed->list->entries[*ret].next;
	return 0;
}

/* Combines two items with the same key, of which one may be a text and the other a map. */
static int combine_item(struct deep *deep, const struct node *below, const struct node *item,
	const struct list_place *place, const struct node **ret)
{
	enum deep_kinds kinds = deep->kinds;

	if (!below || below->kind != item->kind)
		deep->kinds = DEEP_KINDS_ANY;
	int r = deep_combine(deep, below, item, place, ret);
	deep->kinds = kinds;
	return r;
}

static int merge_item(struct deep *deep, const struct keyed *keyed, const struct node *item)
{
	struct list *list = keyed->list;
	struct item_key key;
	const struct node *combined;
	uint32_t entry = LIST_NONE;

	int r = check_item_key(deep, keyed->rule, item, &key);
	if (r == 0 && key.value)
		r = choose_entry(deep, keyed, item, &key, &entry);
	if (r != 0)
		return r;
	if (entry == LIST_NONE)
		return append_item(deep, keyed, item);

	const struct node *below = list_get_key(list, entry);
	if (directive_of(item) == DIRECTIVE_DELETE) {
		list_remove_key(list, entry);
		r = deep_let_go(deep, below, &below);
		if (r == 0)
			origin_remove(deep->origins, &list->node, key.value, below,
				(struct origin_why){"the item is deleted", item});
		return r;
	}
	r = combine_item(deep, below, item, keyed->place, &combined);
	if (r == 0 && !below)
		origin_restore(deep->origins, &list->node, key.value, combined);
	return r == 0 ? list_put_key(list, entry, combined) : r;
}

static int merge_by_key(struct deep *deep, struct list *list, const struct node *value,
	const struct list_place *place, const struct list_rule *rule)
{
	const struct keyed keyed = {list, rule, place, ++deep->pass};
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < value->seq.count; i++)
		r = merge_item(deep, &keyed, value->seq.items[i]);
	return r;
}

/* Takes an item of a list whose items are not matched by a key. */
static int take_item(struct deep *deep, const struct node *item, const struct list_place *place,
	const struct node **ret)
{
	if (directive_of(item) != DIRECTIVE_DELETE)
		return deep_combine(deep, NULL, item, place, ret);
	if (node_is_scalar(item))
		return problem_at(deep->merge->problem, item,
			"'%s' removes a value only from the lower layers' list, and this list "
			"replaces that; write '!append' at the list, or add a rule such as lists: "
			"{\"path.to.list\": unique}",
			item->tag);
	return problem_at(deep->merge->problem, item,
		"'%s' removes an item only where the list is merged by a key; add a rule "
		"such as lists: {\"path.to.list\": {by: name}}",
		item->tag);
}

/* Returns whether a list with that rule adds to the list below, and so may remove values of it. */
static bool is_adding(const struct list_rule *rule)
{
	return rule->mode != LIST_REPLACE && rule->mode != LIST_BY_KEY;
}

/* Returns whether the item only removes values of the list below. */
static bool is_removal(const struct node *item)
{
	return directive_of(item) == DIRECTIVE_DELETE && node_is_scalar(item);
}

static int check_removal(struct deep *deep, const struct node *item)
{
	struct node bare = *item;

	bare.tag = NULL;
	if (!scalar_is_empty(&bare))
		return 0;
	return problem_at(deep->merge->problem, item,
		"an item with '%s' needs the value of the items to remove", item->tag);
}

/* Adds the value that an item removes to `*gone`. */
static int add_removal(
	struct deep *deep, const struct node *list, const struct node *item, struct list **gone)
{
	struct node *bare = node_copy(deep->merge->arena, item);

	if (!bare || (!*gone && !(*gone = list_new(deep->scratch, list, true))))
		return -ENOMEM;
	bare->tag = NULL;
	uint32_t hash = node_hash(bare);
	return list_find_value(*gone, bare, hash) ? 0 : list_push_value(*gone, bare, hash);
}

/* Removes what the layer's list `value` removes by its value. */
static int remove_values(struct deep *deep, struct list *list, const struct node *value)
{
	struct list *gone = NULL;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < value->seq.count; i++)
		if (is_removal(value->seq.items[i])) {
			r = check_removal(deep, value->seq.items[i]);
			if (r == 0)
				r = add_removal(deep, value, value->seq.items[i], &gone);
		}
	if (r != 0 || !gone)
		return r;
	for (int32_t i = list_begin(list); r == 0 && i < list_end(list); i++) {
		const struct node *item = list_at(list, i), *by;

		if (!item || !node_is_scalar(item))
			continue;
		r = deep_compares(deep);
		by = list_find_value(gone, item, node_hash(item));
		if (!by)
			continue;
		list_remove_at(list, i);
		origin_remove(deep->origins, &list->node, item, item,
			(struct origin_why){"the item is deleted", by});
	}
	list_removed(list);
	return r != 0 ? r : deep_spend(deep, value, (uint64_t)(list_end(list) - list_begin(list)));
}

static int extend(struct deep *deep, struct list *list, const struct node *value,
	const struct list_place *place, bool is_in_front)
{
	uint32_t count = value->seq.count;
	const struct node *taken;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < count; i++) {
		const struct node *item = value->seq.items[is_in_front ? count - 1 - i : i];

		if (is_removal(item))
			continue;
		r = take_item(deep, item, place, &taken);
		if (r == 0)
			r = is_in_front ? list_push_front(list, taken)
					: list_push_back(list, taken);
	}
	return r;
}

/* Adds the items that came since the last call to the values. */
static int know_values(struct deep *deep, struct list *list)
{
	int32_t position;
	int r = 0;

	while (r == 0 && list_next_value(list, &position)) {
		const struct node *value = list_at(list, position);

		/* A node under construction has no hash. */
		if (value)
			r = deep_picture(deep, value, &value);
		if (r == 0)
			r = list_add_value(list, position, value);
		if (r == 0)
			r = deep_compares(deep);
	}
	return r;
}

static int append_missing(struct deep *deep, struct list *list, const struct node *value,
	const struct list_place *place)
{
	if (list->rebuilds > REBUILDS_MAX)
		return problem_at(deep->merge->problem, value,
			"this list is merged by key and by '!unique' in turn too often; do one of "
			"both");
	int r = know_values(deep, list);

	for (uint32_t i = 0; r == 0 && i < value->seq.count; i++) {
		const struct node *taken;

		if (is_removal(value->seq.items[i]))
			continue;
		r = take_item(deep, value->seq.items[i], place, &taken);
		if (r == 0)
			r = deep_seal(deep, taken, &taken);
		if (r != 0)
			break;
		uint32_t hash = node_hash(taken);
		if (!list_find_value(list, taken, hash))
			r = list_push_value(list, taken, hash);
		if (r == 0)
			r = deep_compares(deep);
	}
	return r;
}

/* Returns whether the list has exactly the items of `value`. */
static bool is_same(const struct list *list, const struct node *value)
{
	if (list_begin(list) != 0 || list->back.count != value->seq.count)
		return false;
	for (uint32_t i = 0; i < value->seq.count; i++)
		if (list->back.data[i] != value->seq.items[i])
			return false;
	return true;
}

static int take_by_key(struct deep *deep, const struct node *value, const struct list_place *place,
	const struct list_rule *rule, const struct node **ret)
{
	int r = deep_spend(deep, value, value->seq.count);
	if (r != 0)
		return r;
	struct list *list = list_new(deep->scratch, value, true);
	if (!list)
		return -ENOMEM;
	list->node.mark = OWNED;
	origin_move(deep->origins, value, &list->node);

	r = merge_by_key(deep, list, value, place, rule);
	if (r == 0)
		*ret = is_same(list, value) ? value : &list->node;
	return r;
}

static int take_items(struct deep *deep, const struct node *value, const struct list_place *place,
	bool may_remove, const struct node **ret)
{
	struct list *list = NULL;
	int r = 0;

	if (directive_of(value) != DIRECTIVE_NONE) {
		r = deep_own_list(deep, value, &list);
		if (r == 0)
			list->node.tag = NULL;
	}
	for (uint32_t i = 0; r == 0 && i < value->seq.count; i++) {
		const struct node *taken = NULL;

		if (may_remove && is_removal(value->seq.items[i]))
			r = check_removal(deep, value->seq.items[i]);
		else
			r = take_item(deep, value->seq.items[i], place, &taken);
		if (r != 0 || taken == value->seq.items[i])
			continue;
		if (!list)
			r = deep_own_list(deep, value, &list);
		if (r == 0)
			list_set(list, (int32_t)i, taken);
	}
	if (r == 0)
		*ret = list ? &list->node : value;
	return r;
}

int deep_take_list(struct deep *deep, const struct node *value, const struct list_place *place,
	const struct node **ret)
{
	const struct list_rule *rule = list_rules_find(deep->rules, place);
	int r = deep_enter(deep, value);

	if (r == 0) {
		/* A directive on a list takes precedence over its rule. */
		bool is_bare = directive_of(value) == DIRECTIVE_NONE;

		if (rule->mode == LIST_BY_KEY && is_bare)
			r = take_by_key(deep, value, place, rule, ret);
		else
			r = take_items(deep, value, place,
				is_bare ? is_adding(rule)
					: directive_of(value) != DIRECTIVE_REPLACE,
				ret);
	}
	deep_leave(deep);
	return r;
}

static int merge_into(struct deep *deep, struct list *list, const struct node *value,
	const struct list_place *place, const struct list_rule *rule)
{
	int r = is_adding(rule) ? remove_values(deep, list, value) : 0;

	assert(rule->mode != LIST_REPLACE);
	if (r != 0)
		return r;
	switch (rule->mode) {
	case LIST_REPLACE:
		break;
	case LIST_APPEND:
	case LIST_REPEAT:
		return extend(deep, list, value, place, false);
	case LIST_PREPEND:
		return extend(deep, list, value, place, true);
	case LIST_UNIQUE:
		return append_missing(deep, list, value, place);
	case LIST_BY_KEY:
		return merge_by_key(deep, list, value, place, rule);
	}
	return 0;
}

/* Returns the rule's name as people write it. */
static const char *rule_name(
	const struct deep *deep, const struct node *value, const struct list_rule *rule)
{
	struct arena *arena = deep->merge->arena;

	if (directive_of(value) != DIRECTIVE_NONE)
		return value->tag;
	const char *name = rule->mode == LIST_BY_KEY
				   ? arena_printf(arena, "lists: {by: %s}", rule->by_name)
				   : arena_printf(arena, "lists: %s", list_mode_names[rule->mode]);
	return name ? name : "lists";
}

void deep_note_part(struct deep *deep, const struct node *list, const struct node *value,
	const struct list_rule *rule)
{
	if (deep->origins)
		origin_note(deep->origins, list, value, ORIGIN_PART,
			(struct origin_why){rule_name(deep, value, rule), NULL});
}

int deep_merge_lists(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct list_rule *rule, const struct node **ret)
{
	struct list *list;

	if (value->seq.count == 0) {
		deep_note_part(deep, below, value, rule);
		*ret = below;
		return 0;
	}
	int r = deep_enter(deep, value);
	if (r == 0)
		r = deep_spend(deep, value, value->seq.count);
	if (r == 0)
		r = deep_own_list(deep, below, &list);
	if (r == 0)
		r = merge_into(deep, list, value, place, rule);
	deep_leave(deep);
	if (r != 0)
		return r;
	deep_widen(&list->node, value);
	deep_note_part(deep, &list->node, value, rule);
	*ret = &list->node;
	return 0;
}

static bool is_assignment(const struct node *value)
{
	return !value->tag &&
	       (node_is_sequence(value) || (node_is_scalar(value) && !scalar_is_null(value)));
}

/* Returns whether the value replaces the earlier list. */
static bool is_reset(const struct node *value)
{
	if (node_is_scalar(value))
		return !value->text.len;
	for (uint32_t i = 0; i < value->seq.count; i++)
		if (node_is_scalar(value->seq.items[i]) && !value->seq.items[i]->text.len)
			return true;
	return !value->seq.count;
}

bool deep_is_repeat(const struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place)
{
	const struct list_rule *rule;

	if (!is_assignment(value) || !is_assignment(below))
		return false;
	rule = list_rules_find(deep->rules, place);
	return rule->is_assigned || (rule->mode == LIST_REPEAT && !is_reset(value));
}

/* Gives the list itself; for a scalar, a list that contains only it. */
static int as_list(struct deep *deep, const struct node *value, const struct node **ret)
{
	struct node *list;

	*ret = value;
	if (node_is_sequence(value))
		return 0;
	list = node_new_sequence(deep->merge->arena, value);
	if (!list || node_push(deep->merge->arena, list, value) < 0)
		return -ENOMEM;
	*ret = list;
	return deep_spend(deep, value, 1);
}

int deep_repeat(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct node **ret)
{
	const struct node *list, *more;
	int r = as_list(deep, below, &list);

	if (r == 0 && list != below)
		origin_move(deep->origins, below, list);
	if (r == 0)
		r = as_list(deep, value, &more);
	if (r == 0)
		r = deep_merge_lists(
			deep, list, more, place, list_rules_find(deep->rules, place), ret);
	return r;
}
