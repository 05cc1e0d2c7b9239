#include "origin_model.h"

#include <stdio.h>

#include "scalar.h"

#define LAYERS_MAX 16
#define DEPTH_MAX 128

static bool is_same_place(const struct node *a, const struct node *b)
{
	return a->source && b->source && strcmp(a->source->name, b->source->name) == 0 &&
	       a->line == b->line && a->column == b->column;
}

/* Returns how often the origin of `value` names the place of `node`. */
static unsigned count_reported(
	const struct origins *origins, const struct node *value, const struct node *node)
{
	const struct origin *origin = origin_of(origins, value);
	unsigned count = is_same_place(value, node);

	for (const struct origin_step *step = NULL; origin && (step = origin_next(origin, step));)
		count += is_same_place(step->value, node);
	return count;
}

static bool value_tells_once(const struct origins *origins, const struct node *value)
{
	const struct origin *origin = origin_of(origins, value);

	for (const struct origin_step *step = NULL; origin && (step = origin_next(origin, step));) {
		if (!step->value->source || !step->why.rule ||
			count_reported(origins, value, step->value) != 1) {
			printf("# %u:%u tells more than once of %u:%u, %s\n", (unsigned)value->line,
				(unsigned)value->column, (unsigned)step->value->line,
				(unsigned)step->value->column, step->why.rule);
			return false;
		}
	}
	return true;
}

static bool tree_tells_once(const struct origins *origins, const struct node *node)
{
	bool ok = value_tells_once(origins, node);

	for (uint32_t i = 0; ok && node_is_map(node) && i < node->map.count; i++)
		ok = tree_tells_once(origins, node->map.pairs[i].value);
	for (uint32_t i = 0; ok && node_is_sequence(node) && i < node->seq.count; i++)
		ok = tree_tells_once(origins, node->seq.items[i]);
	return ok;
}

bool origin_model_tells_once(const struct merge_result *result)
{
	return !result->root || tree_tells_once(result->origins, result->root);
}

struct walk {
	const struct merge_result *result;
	struct document *const *layers;
	size_t count;
	const struct node *keys[DEPTH_MAX];
	size_t depth;
};

/* Returns the values that layers have at the path, since one of them last cut it off. */
struct contest {
	const struct node *values[LAYERS_MAX];
	size_t count;
};

static void look_into(struct contest *contest, const struct walk *walk, const struct node *at)
{
	for (size_t i = 0; i < walk->depth; i++) {
		const struct pair *pair;

		if (!node_is_map(at)) {
			if (!scalar_is_empty(at))
				contest->count = 0;
			return;
		}
		pair = node_find(at, walk->keys[i]);
		if (!pair)
			return;
		at = pair->value;
	}
	contest->values[contest->count++] = at;
}

static bool check_scalar(const struct walk *walk, const struct node *value)
{
	const struct origin *origin = origin_of(walk->result->origins, value);
	struct contest contest = {.count = 0};
	const struct node *winner;

	for (size_t i = 0; i < walk->count; i++)
		if (walk->layers[i]->count > 0 &&
			(walk->depth > 0 || !scalar_is_empty(walk->layers[i]->roots[0])))
			look_into(&contest, walk, walk->layers[i]->roots[0]);
	winner = contest.values[0];
	for (size_t i = 1; i < contest.count; i++)
		if (!scalar_is_empty(contest.values[i]))
			winner = contest.values[i];
	for (size_t i = 0; i < contest.count; i++)
		if (count_reported(walk->result->origins, value, contest.values[i]) != 1)
			return false;
	return contest.count > 0 && is_same_place(value, winner) &&
	       (origin ? origin->count : 0) == contest.count - 1;
}

static bool check_all(struct walk *walk, const struct node *value)
{
	bool ok = true;

	if (node_is_scalar(value) && !check_scalar(walk, value)) {
		printf("# not as counted: %s:%u:%u\n", value->source->name, (unsigned)value->line,
			(unsigned)value->column);
		return false;
	}
	for (uint32_t i = 0; ok && node_is_map(value) && i < value->map.count; i++) {
		walk->keys[walk->depth++] = value->map.pairs[i].key;
		ok = check_all(walk, value->map.pairs[i].value);
		walk->depth--;
	}
	return ok;
}

bool origin_model_agrees(
	const struct merge_result *result, struct document *const *layers, size_t count)
{
	struct walk walk = {.result = result, .layers = layers, .count = count};

	return !result->root || check_all(&walk, result->root);
}
