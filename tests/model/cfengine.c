/*
 * cfengine against a second implementation: naive, quadratic, written from CFEngine's behaviour;
 * then laws. An argument is made together with its value, so that the model needs no parser.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "laws.h"
#include "merge.h"
#include "random_tree.h"
#include "scalar.h"
#include "strategy.h"

#define LAYERS 4
#define ARGUMENTS_MAX 5
#define ROUNDS_DEFAULT 3000

static const char *const names[LAYERS] = {"base", "site_2", "10-host", "x"};
static const char *const keys[] = {"a", "b", "c", "0", "\"0\"", "1", "\"2\"", "true", NULL};
static const char *const scalars[] = {"x", "1", "1.50", "\"1\"", "true", "~", "0x10", NULL};

static const struct random_tree_shape shape = {.depth = 4,
	.width = 4,
	.scalar_percent = 30,
	.list_percent = 50,
	.keys = keys,
	.scalars = scalars};

struct round {
	struct arena *arena;
	struct random random;
	const struct node *roots[LAYERS];
	struct document documents[LAYERS];
	struct merge_input inputs[LAYERS];
};

/* An argument: its text, and its value; NULL: an error. */
struct argument {
	const char *text;
	const struct node *value;
};

static void *check(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static const char *format(struct round *round, const char *one, const char *two, const char *three)
{
	return check(arena_printf(round->arena, "%s%s%s", one, two, three));
}

static const struct node *new_string(struct round *round, const char *text)
{
	return check(node_new_scalar(round->arena, span_of(text), NODE_DOUBLE));
}

/* Returns the key as JSON has it. */
static const char *text_of(struct round *round, const struct node *key)
{
	struct span text = key->text;

	if (scalar_type(key) != SCALAR_STRING && scalar_json(key, round->arena, &text) < 0)
		abort();
	return text.data;
}

static uint32_t place_of(struct round *round, const struct node *map, const char *key)
{
	uint32_t i = 0;

	while (i < map->map.count && strcmp(text_of(round, map->map.pairs[i].key), key) != 0)
		i++;
	return i;
}

static void put(
	struct round *round, struct node *map, const struct node *key, const struct node *value)
{
	uint32_t place = place_of(round, map, text_of(round, key));
	const struct pair pair = {key, value, node_hash(key)};

	if (place < map->map.count)
		map->map.pairs[place].value = value;
	else if (node_append(round->arena, map, &pair) < 0)
		abort();
}

static void put_all(struct round *round, struct node *map, const struct node *from)
{
	for (uint32_t i = 0; node_is_map(from) && i < from->map.count; i++)
		put(round, map, from->map.pairs[i].key, from->map.pairs[i].value);
	for (uint32_t i = 0; node_is_sequence(from) && i < from->seq.count; i++) {
		char number[16];

		snprintf(number, sizeof(number), "%u", (unsigned)i);
		put(round, map, new_string(round, format(round, number, "", "")),
			from->seq.items[i]);
	}
}

static const struct node *merge_two(struct round *round, const struct node *a, const struct node *b)
{
	struct node *result;

	if (node_is_sequence(a) && node_is_sequence(b)) {
		result = check(node_copy(round->arena, a));
		for (uint32_t i = 0; i < b->seq.count; i++)
			if (node_push(round->arena, result, b->seq.items[i]) < 0)
				abort();
		return result;
	}
	result = check(node_new_map(round->arena, NULL));
	if (node_is_map(a))
		put_all(round, result, a);
	put_all(round, result, b);
	if (node_is_sequence(a))
		put_all(round, result, a);
	return result;
}

static void round_init(struct round *round, uint64_t seed)
{
	*round = (struct round){.random = {seed}};
	if (arena_new(&round->arena) < 0)
		abort();
	for (size_t i = 0; i < LAYERS; i++) {
		const struct node *tree =
			check((void *)random_tree(round->arena, &round->random, &shape));

		/* Half of them lists. */
		if (node_is_map(tree) && random_chance(&round->random, 50)) {
			struct node *list = check(node_new_sequence(round->arena, NULL));
			for (uint32_t n = 0; n < tree->map.count; n++)
				if (node_push(round->arena, list, tree->map.pairs[n].value) < 0)
					abort();
			tree = list;
		}
		round->roots[i] = tree;
		round->documents[i] = (struct document){
			.source = {.name = names[i], .layer = names[i], .rank = (unsigned)i},
			.roots = &round->roots[i],
			.count = 1};
		round->inputs[i] = (struct merge_input){
			.source = round->documents[i].source, .document = &round->documents[i]};
	}
}

/* NAME, or NAME[key]…, with at most `indexes` indexes. */
static struct argument new_name(struct round *round, unsigned indexes)
{
	struct random *random = &round->random;
	uint32_t layer = random_below(random, LAYERS);
	struct argument name = {names[layer], round->roots[layer]};

	for (; indexes > 0 && name.value && random_chance(random, 60); indexes--) {
		const struct node *value = name.value;
		uint32_t count = node_is_map(value)        ? value->map.count
				 : node_is_sequence(value) ? value->seq.count
							   : 0;
		uint32_t place = random_below(random, count + 1);
		char number[16];

		snprintf(number, sizeof(number), "%u", (unsigned)place);
		if (place == count) {
			name.text = format(round, name.text, "[nothing]", "");
			name.value = NULL;
		} else if (node_is_map(value)) {
			const char *key = text_of(round, value->map.pairs[place].key);

			/* Of 0 and "0", which are two keys here, the string is found. */
			name.text = format(round, name.text, "[", format(round, key, "]", ""));
			name.value = node_get(value, key);
			if (!name.value)
				name.value = value->map.pairs[place].value;
		} else {
			name.text = format(round, name.text, "[", format(round, number, "]", ""));
			name.value = value->seq.items[place];
		}
	}
	return name;
}

static struct argument new_inline(struct round *round, unsigned depth)
{
	static const char *const spaces[] = {"", " ", "\n", "\t "};
	struct random *random = &round->random;
	bool is_map = random_chance(random, 50);
	struct node *node = check(
		is_map ? node_new_map(round->arena, NULL) : node_new_sequence(round->arena, NULL));
	struct argument all = {is_map ? "{" : "[", node};
	uint32_t count = random_below(random, 4);

	for (uint32_t i = 0; i < count; i++) {
		struct argument one = {"\"text\"", new_string(round, "text")};
		const char *key = is_map ? keys[random_below(random, 3)] : "";

		if (depth > 0 && random_chance(random, 30))
			one = new_inline(round, depth - 1);
		else if (random_chance(random, 80))
			one = new_name(round, 1);
		if (!one.value)
			all.value = NULL;
		else if (is_map)
			put(round, node, new_string(round, key), one.value);
		else if (node_push(round->arena, node, one.value) < 0)
			abort();
		all.text = format(round, all.text, i ? "," : "", spaces[random_below(random, 4)]);
		all.text = format(round, all.text, key, is_map ? ":" : "");
		all.text = format(round, all.text, one.text, spaces[random_below(random, 4)]);
	}
	all.text = format(round, all.text, is_map ? "}" : "]", "");
	return all;
}

static struct argument new_argument(struct round *round)
{
	if (random_chance(&round->random, 35))
		return new_inline(round, 2);

	struct argument name = new_name(round, 3);
	if (name.value && node_is_scalar(name.value))
		name.value = NULL;
	return name;
}

static int run(struct round *round, const struct node *args, struct merge_result **ret)
{
	struct options options = {.strategy = strategy_find(span_of("cfengine"))};
	struct node *map = check(node_new_map(round->arena, NULL));
	const struct merge_request request = {
		.options = &options, .inputs = round->inputs, .count = LAYERS};
	struct problem problem;

	if (args && node_put(round->arena, map, new_string(round, "args"), args) < 0)
		abort();
	options.map = map;
	int r = options_check(&options, &problem);
	return r == 0 ? merge_run(&request, ret, &problem) : r;
}

static bool is_same_node(const struct node *a, const struct node *b)
{
	return !node_is_scalar(a) || node_equal(a, b);
}

static bool is_same(const struct node *a, const struct node *b)
{
	return random_tree_is_same(a, b, is_same_node);
}

static bool same_as_the_model(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	struct node *args = check(node_new_sequence(round->arena, NULL));
	uint32_t count = 1 + random_below(&round->random, ARGUMENTS_MAX);
	const struct node *model = NULL;
	bool is_error = false;

	for (uint32_t i = 0; i < count; i++) {
		struct argument argument = new_argument(round);

		if (node_push(round->arena, args, new_string(round, argument.text)) < 0)
			abort();
		is_error |= !argument.value;
		if (!is_error)
			model = model ? merge_two(round, model, argument.value) : argument.value;
	}
	int r = run(round, args, &result);
	if (r == PROBLEM || is_error)
		return r == PROBLEM && is_error;
	return r == 0 && is_same(model, result->root);
}

static bool without_arguments_all_layers_are_merged(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *all = NULL, *named = NULL;
	struct node *args = check(node_new_sequence(round->arena, NULL));

	for (size_t i = 0; i < LAYERS; i++)
		if (node_push(round->arena, args, new_string(round, names[i])) < 0)
			abort();
	int r = run(round, NULL, &all);
	return r == run(round, args, &named) && (r != 0 || is_same(all->root, named->root));
}

static bool wrapping_holds_the_value_itself(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	struct node *args = check(node_new_sequence(round->arena, NULL));
	struct argument name = new_name(round, 1);

	if (node_push(round->arena, args, new_string(round, format(round, "[", name.text, "]"))) <
		0)
		abort();
	if (run(round, args, &result) != 0)
		return !name.value;
	return result->root->seq.count == 1 && result->root->seq.items[0] == name.value;
}

static bool holds_in(law_fn *holds, uint64_t seed, unsigned kind)
{
	struct round round;

	(void)kind;
	round_init(&round, seed);
	bool is_ok = holds(&round);
	arena_free(round.arena);
	return is_ok;
}

/* With an argument: that many rounds of each. */
int main(int argc, char **argv)
{
	static const struct law laws[] = {LAW(same_as_the_model),
		LAW(without_arguments_all_layers_are_merged), LAW(wrapping_holds_the_value_itself),
		{0}};
	static const char *const kinds[] = {"", NULL};

	return laws_test(
		laws, kinds, argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS_DEFAULT, holds_in);
}
