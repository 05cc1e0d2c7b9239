#include "salt_round.h"

#include "salt_build.h"

#define SHAPE(d)                                                                                   \
	{                                                                                          \
		.depth = d, .width = 4, .scalar_percent = 40, .list_percent = 40, .keys = keys,    \
		.scalars = scalars, .tags = tags, .list_tags = list_tags,                          \
		.empty_tags = empty_tags, .tag_percent = 35                                        \
	}

static const char *const keys[] = {"a", "b", "c", "d", "1", "\"1\"", "true", NULL};
static const char *const scalars[] = {"x", "y", "1", "1.0", "\"1\"", "true", "~", "\"\"", NULL};
static const char *const tags[] = {ANY, ANY, ANY, RESET, NULL};
static const char *const list_tags[] = {LIST, NULL};
static const char *const empty_tags[] = {ANY, NULL};

static const struct random_tree_shape shape = SHAPE(5), inner_shape = SHAPE(2);

static const char *pick_tag(struct salt_round *round, const struct node *node)
{
	bool is_any = random_chance(&round->random, 50);

	if (!is_tag(node, ANY) || is_any)
		return node->tag;
	if (random_chance(&round->random, 1))
		return node_is_map(node) ? SCALAR : MAP;
	return node_is_map(node) ? MAP : node_is_scalar(node) ? SCALAR : LIST;
}

/*
 * Makes a copy with more tags, and with keys that come twice in the outer `depth` collections,
 * which random_tree() does not make.
 */
static const struct node *with_doubles(
	struct salt_round *round, const struct node *node, unsigned depth)
{
	struct random *random = &round->random;
	struct node *copy;
	uint32_t repeat;

	if (node_is_scalar(node)) {
		copy = check(node_copy(round->arena, node));
		copy->tag = pick_tag(round, node);
		return copy;
	}
	copy = new_like(round->arena, node, pick_tag(round, node));
	/* Long enough to be searched by hash. */
	repeat = node_is_sequence(node) && random_chance(random, 25) ? 4 : 1;
	for (uint32_t i = 0; node_is_sequence(node) && i < repeat * node->seq.count; i++)
		push(round->arena, copy,
			with_doubles(round, node->seq.items[i % node->seq.count], depth));
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++) {
		const struct pair *pair = &node->map.pairs[i];
		bool is_double = depth > 0 && random_chance(random, 30);
		unsigned copies = is_double ? 2 + random_below(random, 3) : 1;

		for (unsigned n = 0; n < copies; n++) {
			const struct node *value = pair->value;
			struct node *key = check(node_copy(round->arena, pair->key));

			if (random_chance(random, 15))
				key->tag = random_chance(random, 50) ? RESET : ANY;
			if (n > 0 && random_chance(random, 80))
				value = check(
					(void *)random_tree(round->arena, random, &inner_shape));
			add(round->arena, copy, key,
				with_doubles(round, value, depth ? depth - 1 : 0));
		}
	}
	return copy;
}

void salt_round_init(struct salt_round *round, uint64_t seed)
{
	static const char *const levels[][2] = {{"", "false"}, {"*", "true"}, {"1", "1"},
		{"11", "2"}, {"111", "3"}, {"101", "'101'"}, {"01", "[false, true]"}, {"", "0"},
		{"*", "-1"}, {"1101", "[true, 1, 0, 2]"}, {"", "[]"}, {"", "''"}};
	size_t n;

	*round = (struct salt_round){.random = {seed}};
	if (arena_new(&round->arena) < 0)
		abort();
	n = random_below(&round->random, sizeof(levels) / sizeof(*levels));
	round->level = levels[n][0];
	round->given = levels[n][1];
	round->count = 1 + random_below(&round->random, SALT_ROUND_LAYERS_MAX);
	for (size_t i = 0; i < round->count; i++) {
		const struct node *tree =
			check((void *)random_tree(round->arena, &round->random, &shape));

		round->roots[i] = with_doubles(round, tree, 4);
		round->documents[i] =
			(struct document){.source = {.name = "layer", .layer = "layer"},
				.roots = &round->roots[i],
				.count = 1};
		round->inputs[i] = (struct merge_input){
			.source = round->documents[i].source, .document = &round->documents[i]};
	}
}
