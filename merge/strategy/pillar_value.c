#include "pillar_value.h"

#include <errno.h>
#include <stdlib.h>

#include "pillar_list.h"
#include "pillar_option.h"
#include "scalar.h"

/* The bits of node.mark. Nodes of a source, and nodes that are sealed, have none. */
enum {
	PILLAR_OPEN = 1,     /* made for the file that is being built: may be changed in place */
	PILLAR_SHIELDED = 2, /* a marker stood here: nothing is combined into it */
};

/*
 * Steps that a merge may take, and how many more for each node that its result may have: far more
 * than any real pillar needs, and a second's work.
 */
#define PILLAR_WORK_MIN (1u << 20)
#define PILLAR_WORK_EACH 16

/* Bytes of text that take as long as a step. */
#define PILLAR_STEP_BYTES 64

void pillar_values_init(struct pillar_values *values, struct arena *arena,
	const struct limits *limits, struct problem *problem)
{
	*values = (struct pillar_values){.arena = arena, .problem = problem, .limits = *limits};
}

void pillar_values_fini(struct pillar_values *values)
{
	free(values->open);
}

int pillar_work(struct pillar_values *values, size_t steps)
{
	uint64_t max = PILLAR_WORK_MIN + (uint64_t)values->limits.nodes * PILLAR_WORK_EACH;

	values->work += steps;
	if (values->work <= max)
		return 0;

	return problem_set(values->problem, values->file, 0, 0,
		"combining what this file refers to takes more than %llu steps: refer to fewer or "
		"smaller files, or raise the limit 'nodes'",
		(unsigned long long)max);
}

size_t pillar_steps(const struct node *node)
{
	size_t steps = 1;

	if (node_is_scalar(node))
		return steps + node->text.len / PILLAR_STEP_BYTES;
	if (node_is_sequence(node)) {
		for (uint32_t i = 0; i < node->seq.count; i++)
			steps += pillar_steps(node->seq.items[i]);
		return steps;
	}
	for (uint32_t i = 0; i < node->map.count; i++)
		steps += pillar_steps(node->map.pairs[i].key) +
			 pillar_steps(node->map.pairs[i].value);
	return steps;
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

static uint32_t count_entries(const struct node *node)
{
	return node_is_map(node) ? node->map.count : node->seq.count;
}

static int remember_open(struct pillar_values *values, struct node *node)
{
	if (values->open_count == values->open_capacity) {
		size_t capacity = values->open_capacity ? 2 * values->open_capacity : 64;
		struct node **open = reallocarray(values->open, capacity, sizeof(*open));

		if (!open)
			return -ENOMEM;
		values->open = open;
		values->open_capacity = capacity;
	}
	values->open[values->open_count++] = node;
	return 0;
}

/* An open node in the place of *value: itself, or a copy with room for `more` items. */
static int open_node(
	struct pillar_values *values, const struct node **value, uint32_t more, struct node **ret)
{
	struct node *copy;
	int r;

	if (!((*value)->mark & PILLAR_OPEN)) {
		copy = node_is_map(*value) ? node_copy(values->arena, *value)
					   : pillar_list_new(values->arena, *value, more);
		if (!copy)
			return -ENOMEM;
		copy->mark = PILLAR_OPEN;
		r = remember_open(values, copy);
		if (r)
			return r;
		*value = copy;
	}

	/* Not const: we made it, and nobody else has it before it is sealed. */
	*ret = (struct node *)*value;
	return 0;
}

static struct node *new_empty(struct arena *arena, const struct node *like)
{
	struct node empty = *like;

	if (node_is_map(like))
		return node_new_map(arena, like);
	empty.seq.count = 0;
	empty.weight = 1;
	return pillar_list_new(arena, &empty, like->seq.count);
}

static int new_node(
	struct pillar_values *values, const struct node *like, uint8_t mark, struct node **ret)
{
	struct node *node = new_empty(values->arena, like);
	int r;

	if (!node)
		return -ENOMEM;
	node->mark = PILLAR_OPEN | mark;
	r = remember_open(values, node);
	if (r)
		return r;

	*ret = node;
	return 0;
}

size_t pillar_open_count(const struct pillar_values *values)
{
	return values->open_count;
}

void pillar_seal(struct pillar_values *values, size_t since)
{
	while (values->open_count > since)
		values->open[--values->open_count]->mark = 0;
}

/* Markers */

static bool is_text(const struct node *node, const char *text)
{
	return node_is_scalar(node) && span_is(node->text, text) &&
	       scalar_type(node) == SCALAR_STRING;
}

static bool is_list_marker(const struct node *item)
{
	return is_text(item, PILLAR_REPLACE);
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

	while (first < list->seq.count && is_list_marker(list->seq.items[first]))
		first++;
	if (first) {
		r = new_node(values, list, PILLAR_SHIELDED, &out);
		if (r)
			return r;
	}

	for (uint32_t i = first; i < list->seq.count; i++) {
		const struct node *item = list->seq.items[i];

		r = strip(values, item, depth, &item);
		if (!r && !out && item != list->seq.items[i]) {
			r = new_node(values, list, 0, &out);
			for (uint32_t j = 0; !r && j < i; j++)
				r = node_push(values->arena, out, list->seq.items[j]);
		}
		if (!r && out)
			r = node_push(values->arena, out, item);
		if (r)
			return r;
	}

	*ret = out ? out : list;
	return 0;
}

/* A new map with the first `count` entries of `map`, less the marker. */
static int copy_head(struct pillar_values *values, const struct node *map, uint32_t count,
	uint8_t mark, struct node **ret)
{
	struct node *out;
	int r = new_node(values, map, mark, &out);

	for (uint32_t i = 0; !r && i < count; i++)
		r = node_append(values->arena, out, &map->map.pairs[i]);
	if (!r)
		*ret = out;
	return r;
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
		if (!r && is_marker)
			out->mark |= PILLAR_SHIELDED;
		else if (!r && out)
			r = node_append(values->arena, out, &pair);
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
		r = pillar_work(values, count_entries(value));
	if (r)
		return r;

	return node_is_map(value) ? strip_map(values, value, depth + 1, ret)
				  : strip_list(values, value, depth + 1, ret);
}

int pillar_strip(struct pillar_values *values, const struct node *value, const struct node **ret)
{
	return strip(values, value, 0, ret);
}

/* Combining */

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
		r = open_node(values, value, other->seq.count, &list);
	for (uint32_t i = 0; !r && i < other->seq.count; i++)
		r = pillar_list_add(values, list, other->seq.items[i]);
	return r;
}

static int combine(struct pillar_values *values, const struct node **value,
	const struct node *other, unsigned depth);

/* Weights go by steps of any size, and stay at "that many or more" once they are there. */
static void change_weight(struct node *node, uint32_t before, uint32_t after)
{
	if (after == UINT32_MAX || node->weight == UINT32_MAX ||
		after - before > UINT32_MAX - node->weight)
		node->weight = UINT32_MAX;
	else
		node->weight += after - before;
}

/* Combines what `map` has at place `i` with `other`. A value never gets lighter by it. */
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
	r = open_node(values, map, 0, &open);
	if (r)
		return r;

	/* In its place: node_put() would look for the key again, and count the weight before. */
	open->map.pairs[i].value = value;
	change_weight(open, before, value->weight);
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
		r = open_node(values, value, 0, &open);
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

	/* `{}` says nothing of style: it must not draw all that comes in into one line. */
	if (count_entries(*value) == 0 && count_entries(other) > 0) {
		r = open_node(values, value, 0, &open);
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
	struct node *open;
	int r;

	if (*value == other || (*value)->kind != other->kind || node_is_scalar(other) ||
		((*value)->mark & PILLAR_SHIELDED))
		return 0;

	r = check_depth(values, *value, depth + 1);
	if (!r)
		r = pillar_work(values, 1);
	if (!r)
		r = combine_entries(values, value, other, depth + 1);
	if (r || !(other->mark & PILLAR_SHIELDED))
		return r;

	/* A lower layer of the same file said so: its marker holds against the layers below it. */
	r = open_node(values, value, 0, &open);
	if (!r)
		open->mark |= PILLAR_SHIELDED;
	return r;
}

int pillar_combine(
	struct pillar_values *values, const struct node **value, const struct node *other)
{
	return combine(values, value, other, 0);
}

int pillar_remove(struct pillar_values *values, const struct node **map, const struct node *key)
{
	struct node *open;
	int r = open_node(values, map, 0, &open);

	if (!r)
		node_remove(open, key);
	return r;
}

int pillar_put(struct pillar_values *values, const struct node **map, const struct node *key,
	const struct node *value)
{
	struct node *open;
	int r = open_node(values, map, 0, &open);

	return r ? r : node_put(values->arena, open, key, value);
}
