#include "toml_place.h"

#include <errno.h>

#include "edit_tree.h"

/* The relation of an entry to the target. */
enum relation {
	APART,
	BELOW, /* it lies in the target */
	AT,    /* it is the target, or contains it */
};

bool toml_place_is_header(const struct edit *edit, const struct extent *entry)
{
	return entry->keys && edit->text.data[entry->member.begin] == '[';
}

static bool is_key(const struct edit_step *step, const struct node *key)
{
	return step->key && node_equal(step->key, key);
}

static const struct node *item_before(const struct node *list, uint32_t line)
{
	uint32_t low = 0, high = list->seq.count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (list->seq.items[middle]->line <= line)
			low = middle;
		else
			high = middle;
	}
	return list->seq.items[low];
}

/* Compares a header with the target. *done becomes the number of steps that the header leads
 * along. */
static enum relation follow_header(const struct edit *edit, const struct extent *header,
	struct toml_target target, size_t *done)
{
	bool is_item = edit->text.data[header->member.begin + 1] == '[';
	const struct node *node = edit->document->roots[0];

	*done = 0;
	for (uint32_t i = 0; i < header->key_count; i++) {
		const struct node *key = header->keys[i], *item = header->node;
		const struct pair *pair;

		if (*done == target.count)
			return BELOW;
		if (!is_key(&target.steps[*done], key))
			return APART;
		++*done;
		pair = node_find(node, key);
		node = pair->value;
		if (!node_is_sequence(node))
			continue;
		if (*done == target.count)
			return BELOW;
		if (!is_item || i + 1 < header->key_count)
			item = item_before(node, key->line);
		const struct edit_step *step = &target.steps[*done];
		if (step->key || step->index >= node->seq.count ||
			node->seq.items[step->index] != item)
			return APART;
		++*done;
		node = item;
	}
	return AT;
}

/* Does the same for a pair, or item `i`. *keys becomes the number of its keys that lead along. */
static enum relation follow_entry(const struct extent *entry, uint32_t i, struct toml_target target,
	size_t *done, uint32_t *keys)
{
	*keys = 0;
	if (!entry->keys) {
		if (*done == target.count)
			return BELOW;
		if (target.steps[*done].key || target.steps[*done].index != i)
			return APART;
		++*done;
		return AT;
	}
	for (; *keys < entry->key_count; ++*keys, ++*done) {
		if (*done == target.count)
			return BELOW;
		if (!is_key(&target.steps[*done], entry->keys[*keys]))
			return APART;
	}
	return AT;
}

static int add_part(const struct edit *edit, struct toml_parts *parts, struct toml_part part)
{
	return arena_push(edit->arena, parts->items, parts->count, parts->capacity, part);
}

/* Finds the target's entries in `in`, to which `done` steps lead. */
static int find_entries(const struct edit *edit, const struct extent *in, struct toml_target target,
	size_t done, struct toml_place *ret)
{
	uint32_t i = 0;
	int r = 0;

	for (const struct extent *at = in->first; at && r == 0; at = at->next, i++) {
		struct toml_part part = {at, in, 0};
		size_t gone = done;
		enum relation relation;

		if (in == edit->document->extents[0] && toml_place_is_header(edit, at))
			return 0;
		relation = follow_entry(at, i, target, &gone, &part.keys);
		if (relation == BELOW && part.keys)
			r = add_part(edit, &ret->pairs, part);
		else if (relation == AT && gone == target.count)
			ret->value = part;
		else if (relation == AT)
			r = find_entries(edit, at, target, gone, ret);
	}
	return r;
}

int toml_place_find(const struct edit *edit, struct toml_target target, struct toml_place *ret)
{
	const struct extent *root = edit->document->extents[0];
	int r;

	*ret = (struct toml_place){.header = target.count ? NULL : root};
	r = find_entries(edit, root, target, 0, ret);
	for (const struct extent *at = root->first; at && r == 0; at = at->next) {
		enum relation relation;
		size_t done;

		if (!toml_place_is_header(edit, at))
			continue;
		relation = follow_header(edit, at, target, &done);
		if (relation == BELOW)
			r = add_part(edit, &ret->headers, (struct toml_part){at, root, 0});
		else if (relation == AT && done == target.count)
			ret->header = at;
		else if (relation == AT)
			r = find_entries(edit, at, target, done, ret);
	}
	return r;
}

const struct node *toml_place_node(const struct edit *edit, struct toml_target target)
{
	const struct node *node = edit->document->roots[0];

	for (size_t i = 0; i < target.count && node; i++)
		node = edit_tree_entry(node, &target.steps[i]);
	return node;
}

int toml_target_enter(const struct edit *edit, struct toml_target target, struct edit_step step,
	struct toml_target *ret)
{
	struct edit_step *steps = arena_zalloc(edit->arena, target.count + 1, sizeof(*steps));

	if (!steps)
		return -ENOMEM;
	if (target.count)
		memcpy(steps, target.steps, target.count * sizeof(*steps));
	steps[target.count] = step;
	*ret = (struct toml_target){steps, target.count + 1};
	return 0;
}
