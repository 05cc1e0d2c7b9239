#include "pillar_value.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "pillar_option.h"
#include "scalar.h"

/*
 * Steps that a merge may take, and how many more for each node that its result may have: far more
 * than any real pillar needs, and about one second's work.
 */
#define PILLAR_WORK_MIN (1u << 20)
#define PILLAR_WORK_EACH 16

/* Steps for each record of origins: it takes memory, and other steps do not. */
#define PILLAR_NOTE_STEPS 4

/* Bytes of text that take as long as one step. */
#define PILLAR_STEP_BYTES 64

int pillar_work(struct pillar_values *values, size_t steps)
{
	uint64_t max = PILLAR_WORK_MIN + (uint64_t)values->limits.nodes * PILLAR_WORK_EACH;

	values->work += steps;
	if (values->work <= max)
		return 0;

	return problem_set(values->problem, values->file, 0, 0,
		"combining the files that this file refers to takes more than %llu steps: refer to "
		"fewer or smaller files, or raise the limit 'nodes'",
		(unsigned long long)max);
}

/* Returns the number of steps to compare or hash a value. */
static size_t pillar_steps(const struct node *node)
{
	size_t steps = 1;

	if (node_is_scalar(node))
		return steps + node->text.len / PILLAR_STEP_BYTES;
	for (uint32_t i = 0; i < node_count(node); i++) {
		steps += pillar_steps(*node_entry(node, i));
		if (node_is_map(node))
			steps += pillar_steps(node->map.pairs[i].key);
	}
	return steps;
}

/* Appends `item` to an open list, unless that has an equal one. */
static int add_item(struct pillar_values *values, struct node *list, const struct node *item)
{
	uint32_t i = list->seq.seen ? list->seq.seen->line : 0;
	int r = pillar_work(values, pillar_steps(item));

	for (; !r && i < list->seq.count; i++)
		r = pillar_work(values, pillar_steps(list->seq.items[i]));
	if (!r)
		r = node_see(values->arena, list);
	if (r || node_find(list->seq.seen, item))
		return r;
	r = node_push(values->arena, list, item);
	return r ? r : node_see(values->arena, list);
}

void pillar_values_fini(struct pillar_values *values)
{
	free(values->open);
}

/* Opens *value: unless it is open already, it becomes an open copy. A scalar is opened only for
 * origins. */
static int pillar_open(struct pillar_values *values, const struct node **value, struct node **ret)
{
	struct node *copy;
	int r;

	if (!((*value)->mark & PILLAR_OPEN)) {
		copy = node_copy(values->arena, *value);
		if (!copy)
			return -ENOMEM;
		copy->mark = PILLAR_OPEN;
		r = array_push(values->open, values->open_count, values->open_capacity, copy);
		if (r)
			return r;
		origin_move(values->origins, *value, copy);
		*value = copy;
	}

	/* Not const: we made it, and no other code has it before it is sealed. */
	*ret = (struct node *)*value;
	return 0;
}

/* Makes an open copy of a map or list, with its first `count` entries: none is a marker. */
static int copy_head(struct pillar_values *values, const struct node *like, uint32_t count,
	uint8_t mark, struct node **ret)
{
	struct node *node = node_copy_head(values->arena, like, count);

	if (!node)
		return -ENOMEM;
	node->mark = PILLAR_OPEN | mark;
	*ret = node;
	return array_push(values->open, values->open_count, values->open_capacity, node);
}

void pillar_seal(struct pillar_values *values, size_t since)
{
	while (values->open_count > since)
		values->open[--values->open_count]->mark = 0;
}

static int check_depth(struct pillar_values *values, const struct node *node, unsigned depth)
{
	if (depth <= values->limits.depth)
		return 0;

	return problem_at(values->problem, node,
		"maps and lists are nested deeper than %u: make them flatter, or raise the limit "
		"'depth'",
		values->limits.depth);
}

/* The rule for a marker, and for values that it refuses. */
static const char marker_rule[] = "_replace: nothing is combined in";

static void note_marker(struct pillar_values *values, const struct node *in, const struct node *key,
	const struct node *marker)
{
	origin_remove(values->origins, in, key, marker, (struct origin_why){marker_rule, NULL});
}

/* Returns the marker that was in a shielded node, as note_marker() recorded it; or NULL. */
static const struct origin_removed *find_marker(
	const struct pillar_values *values, const struct node *shielded)
{
	const struct origin *origin = origin_of(values->origins, shielded);
	const struct origin_removed *removed = origin ? origin->removed : NULL;

	while (removed && !(removed->first && removed->first->why.rule == marker_rule))
		removed = removed->next;
	return removed;
}

static bool is_text(const struct node *node, const char *text)
{
	return node_is_scalar(node) && span_is(node->text, text) && scalar_is_string(node);
}

static bool is_map_marker(const struct pair *pair)
{
	return is_text(pair->key, PILLAR_CONTROL) && is_text(pair->value, PILLAR_REPLACE);
}

static int strip(struct pillar_values *values, const struct node *value, unsigned depth,
	const struct node **ret);

static int strip_list(struct pillar_values *values, const struct node *list, unsigned depth,
	const struct node **ret)
{
	struct node *out = NULL;
	uint32_t first = 0;
	int r;

	while (first < list->seq.count && is_text(list->seq.items[first], PILLAR_REPLACE))
		first++;
	if (first) {
		r = copy_head(values, list, 0, PILLAR_SHIELDED, &out);
		if (r)
			return r;
		note_marker(values, out, list->seq.items[0], list->seq.items[0]);
	}

	for (uint32_t i = first; i < list->seq.count; i++) {
		const struct node *item = list->seq.items[i];

		r = strip(values, item, depth, &item);
		if (!r && !out && item != list->seq.items[i])
			r = copy_head(values, list, i, 0, &out);
		if (!r && out)
			r = node_push(values->arena, out, item);
		if (r)
			return r;
	}

	*ret = out ? out : list;
	return 0;
}

static int strip_map(struct pillar_values *values, const struct node *map, unsigned depth,
	const struct node **ret)
{
	struct node *out = NULL;

	for (uint32_t i = 0; i < map->map.count; i++) {
		struct pair pair = map->map.pairs[i];
		bool is_marker = is_map_marker(&pair);
		int r = 0;

		if (!is_marker)
			r = strip(values, pair.value, depth, &pair.value);
		if (!r && !out && (is_marker || pair.value != map->map.pairs[i].value))
			r = copy_head(values, map, i, 0, &out);
		if (!r && is_marker) {
			out->mark |= PILLAR_SHIELDED;
			note_marker(values, out, pair.key, pair.value);
		} else if (!r && out) {
			r = node_append(values->arena, out, &pair);
		}
		if (r)
			return r;
	}

	*ret = out ? out : map;
	return 0;
}

static int strip(struct pillar_values *values, const struct node *value, unsigned depth,
	const struct node **ret)
{
	int r;

	if (node_is_scalar(value)) {
		*ret = value;
		return 0;
	}
	r = check_depth(values, value, depth + 1);
	if (!r)
		r = pillar_work(values, node_count(value));
	if (r)
		return r;

	return node_is_map(value) ? strip_map(values, value, depth + 1, ret)
				  : strip_list(values, value, depth + 1, ret);
}

int pillar_strip(struct pillar_values *values, const struct node *value, const struct node **ret)
{
	return strip(values, value, 0, ret);
}

static size_t count_steps(const struct pillar_values *values, const struct node *node)
{
	const struct origin *origin = origin_of(values->origins, node);

	return origin ? origin->count : 0;
}

/*
 * Records what happens to `other`. Before that, *value becomes a node of this file, even a scalar:
 * the present node may also stand in other files, built earlier or later.
 */
static int note(struct pillar_values *values, const struct node **value, const struct node *other,
	enum origin_fate fate, struct origin_why why)
{
	size_t steps = 1 + count_steps(values, other);
	struct node *open;
	int r;

	if (!values->origins)
		return 0;
	if (!((*value)->mark & PILLAR_OPEN))
		steps += count_steps(values, *value) + node_count(*value);
	r = pillar_work(values, steps * PILLAR_NOTE_STEPS);
	if (!r)
		r = pillar_open(values, value, &open);
	if (!r)
		origin_note(values->origins, open, other, fate, why);
	return r;
}

static int note_kept(
	struct pillar_values *values, const struct node **value, const struct node *other)
{
	struct origin_why why = values->why;

	if (!values->origins)
		return 0;
	if ((*value)->kind != other->kind) {
		why.rule = "values of different kinds do not combine";
	} else if ((*value)->mark & PILLAR_SHIELDED) {
		const struct origin_removed *marker = find_marker(values, *value);

		why = (struct origin_why){marker_rule, marker ? marker->first->value : NULL};
	}
	return note(values, value, other, ORIGIN_LOST, why);
}

static int note_part(
	struct pillar_values *values, const struct node **value, const struct node *other)
{
	const struct origin_why why = {node_is_map(other)
					       ? "maps: keys that are not there yet are added"
					       : "lists: items that are not there yet are appended",
		values->why.by};

	return note(values, value, other, ORIGIN_PART, why);
}

/* A lower layer of the same file has a marker: it also holds against the layers below it. */
static int take_over_shield(
	struct pillar_values *values, const struct node **value, const struct node *other)
{
	const struct origin_removed *marker = find_marker(values, other);
	struct node *open;
	int r = pillar_open(values, value, &open);

	if (r)
		return r;
	open->mark |= PILLAR_SHIELDED;
	if (marker)
		note_marker(values, open, marker->key, marker->first->value);
	return 0;
}

static int combine_lists(
	struct pillar_values *values, const struct node **value, const struct node *other)
{
	struct node *list;
	int r = 0;

	if (other->seq.count == 0)
		return 0;
	if (!((*value)->mark & PILLAR_OPEN))
		r = pillar_work(values, (*value)->seq.count);
	if (!r)
		r = pillar_open(values, value, &list);
	for (uint32_t i = 0; !r && i < other->seq.count; i++)
		r = add_item(values, list, other->seq.items[i]);
	return r;
}

static int combine(struct pillar_values *values, const struct node **value,
	const struct node *other, unsigned depth);

/* Combines the value of entry `i` of *map with `other`. Its weight never decreases. */
static int combine_entry(struct pillar_values *values, const struct node **map, uint32_t i,
	const struct node *other, unsigned depth)
{
	const struct node *old = (*map)->map.pairs[i].value;
	uint32_t before = old->weight;
	const struct node *value = old;
	struct node *open;
	int r = combine(values, &value, other, depth);

	if (r || (value == old && value->weight == before))
		return r;
	r = pillar_open(values, map, &open);
	if (r)
		return r;

	/* In its place: node_put() would search for the key again, and use the weight of before. */
	open->map.pairs[i].value = value;
	node_reweigh(open, before, value->weight);
	return 0;
}

static int combine_maps(struct pillar_values *values, const struct node **value,
	const struct node *other, unsigned depth)
{
	int r = 0;

	if (!((*value)->mark & PILLAR_OPEN))
		r = pillar_work(values, (*value)->map.count);

	for (uint32_t i = 0; !r && i < other->map.count; i++) {
		const struct pair *theirs = &other->map.pairs[i];
		const struct pair *ours;
		struct node *open;

		r = pillar_work(values, pillar_steps(theirs->key));
		if (r)
			return r;
		ours = node_find_hashed(*value, theirs->key, theirs->hash);
		if (ours) {
			uint32_t place = (uint32_t)(ours - (*value)->map.pairs);

			r = combine_entry(values, value, place, theirs->value, depth);
			continue;
		}
		r = pillar_open(values, value, &open);
		if (!r)
			r = node_append(values->arena, open, theirs);
	}
	return r;
}

static int combine_entries(struct pillar_values *values, const struct node **value,
	const struct node *other, unsigned depth)
{
	struct node *open;
	int r;

	/* `{}` has no style of its own: entries that come in must not all go on one line. */
	if (node_count(*value) == 0 && node_count(other) > 0) {
		r = pillar_open(values, value, &open);
		if (r)
			return r;
		open->style = other->style;
	}
	return node_is_map(other) ? combine_maps(values, value, other, depth)
				  : combine_lists(values, value, other);
}

static int combine(struct pillar_values *values, const struct node **value,
	const struct node *other, unsigned depth)
{
	int r;

	if (*value == other)
		return 0;
	if ((*value)->kind != other->kind || node_is_scalar(other) ||
		((*value)->mark & PILLAR_SHIELDED))
		return note_kept(values, value, other);

	r = check_depth(values, *value, depth + 1);
	if (!r)
		r = pillar_work(values, 1);
	if (!r)
		r = note_part(values, value, other);
	if (!r)
		r = combine_entries(values, value, other, depth + 1);
	if (!r && (other->mark & PILLAR_SHIELDED))
		r = take_over_shield(values, value, other);
	return r;
}

int pillar_combine(struct pillar_values *values, const struct node **value,
	const struct node *other, struct origin_why why)
{
	values->why = why;
	return combine(values, value, other, 0);
}

int pillar_remove(struct pillar_values *values, const struct node **map, const struct pair *pair,
	struct origin_why why)
{
	const struct pair removed = *pair;
	struct node *open;
	int r = pillar_open(values, map, &open);

	if (r)
		return r;
	node_remove(open, removed.key);
	origin_remove(values->origins, open, removed.key, removed.value, why);
	return 0;
}

int pillar_put(struct pillar_values *values, const struct node **map, const struct pair *pair,
	struct origin_why why)
{
	const struct pair *old = node_find_hashed(*map, pair->key, pair->hash);
	struct pair put = *pair;
	struct node *open;
	int r = old ? note(values, &put.value, old->value, ORIGIN_LOST, why) : 0;

	if (!r)
		r = pillar_open(values, map, &open);
	return r ? r : node_put_hashed(values->arena, open, &put);
}
