/*
 * Laws of salt, on random documents. salt_model.py is the second implementation.
 */
#include "salt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "laws.h"
#include "merge.h"
#include "origin_model.h"
#include "random_tree.h"
#include "strategy.h"

#define ROUNDS_DEFAULT 2000

/* A round: layers of random documents, and a level for their merge. */
#define LAYERS_MAX 5

struct round {
	struct arena *arena;
	struct random random;
	struct document documents[LAYERS_MAX];
	const struct node *roots[LAYERS_MAX];
	struct merge_input inputs[LAYERS_MAX];
	size_t count;
	const char *level; /* '1' or '0' for each nesting, and '*' for all that follow */
	const char *given; /* the same, as an option */
};

static const char MAP[] = "!aggr-map", LIST[] = "!aggr-seq", SCALAR[] = "!aggr-scalar";
static const char ANY[] = "!aggregate", RESET[] = "!reset";

static void *check(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static struct node *new_like(struct arena *arena, const struct node *node, const char *tag)
{
	struct node *copy = check(
		node_is_map(node) ? node_new_map(arena, NULL) : node_new_sequence(arena, NULL));

	copy->tag = tag;
	return copy;
}

static void add(
	struct arena *arena, struct node *map, const struct node *key, const struct node *value)
{
	const struct pair pair = {key, value, node_hash(key)};

	if (node_append(arena, map, &pair) < 0)
		abort();
}

static void push(struct arena *arena, struct node *list, const struct node *item)
{
	if (node_push(arena, list, item) < 0)
		abort();
}

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

static const char *pick_tag(struct round *round, const struct node *node)
{
	bool is_any = random_chance(&round->random, 50);

	if (!node->tag || strcmp(node->tag, ANY) != 0 || is_any)
		return node->tag;
	if (random_chance(&round->random, 1))
		return node_is_map(node) ? SCALAR : MAP;
	return node_is_map(node) ? MAP : node_is_scalar(node) ? SCALAR : LIST;
}

/*
 * Makes a copy with more tags, and with keys that come twice in the outer `depth` collections,
 * which random_tree() does not make.
 */
static const struct node *with_doubles(struct round *round, const struct node *node, unsigned depth)
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

static void round_init(struct round *round, uint64_t seed)
{
	static const char *const levels[][2] = {{"", "false"}, {"*", "true"}, {"1", "1"},
		{"11", "2"}, {"111", "3"}, {"101", "'101'"}, {"01", "[false, true]"}, {"", "0"},
		{"*", "-1"}, {"1101", "[true, 1, 0, 2]"}, {"", "[]"}, {"", "''"}};
	size_t n;

	*round = (struct round){.random = {seed}};
	if (arena_new(&round->arena) < 0)
		abort();
	n = random_below(&round->random, sizeof(levels) / sizeof(*levels));
	round->level = levels[n][0];
	round->given = levels[n][1];
	round->count = 1 + random_below(&round->random, LAYERS_MAX);
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

/* The same in kind, tags, text and order. */
static bool is_same_node(const struct node *a, const struct node *b)
{
	if (!a->tag != !b->tag || (a->tag && strcmp(a->tag, b->tag) != 0))
		return false;
	return !node_is_scalar(a) || (a->style == b->style && span_equal(a->text, b->text));
}

static bool is_same(const struct node *a, const struct node *b)
{
	return random_tree_is_same(a, b, is_same_node);
}

static bool weighs_right(const struct node *node, uint32_t *ret)
{
	uint32_t weight = 1, child;

	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++) {
		if (!weighs_right(node->seq.items[i], &child))
			return false;
		weight += child;
	}
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++) {
		if (!weighs_right(node->map.pairs[i].value, &child))
			return false;
		weight += child + 1;
	}
	*ret = weight;
	return node->weight == weight;
}

static struct options read_options(const char *level, bool has_tags, struct document **ret)
{
	const struct read_options read = {.format = &format_yaml};
	const struct source source = {.name = "options", .layer = ""};
	struct options options = {.strategy = strategy_find(span_of("salt"))};
	CLEANUP(freep) char *text = NULL;
	struct problem problem;

	if (asprintf(&text, "{level: %s, tags: %s}", level, has_tags ? "true" : "false") < 0 ||
		document_read(&source, span_of(text), &read, ret, &problem) != 0)
		abort();
	options.map = (*ret)->roots[0];
	if (options_check(&options, &problem) != 0)
		abort();
	return options;
}

static int run(const char *level, bool has_tags, const struct merge_input *inputs, size_t count,
	struct merge_result **ret)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct options options = read_options(level, has_tags, &document);
	const struct merge_request request = {
		.options = &options, .inputs = inputs, .count = count, .to = &format_yaml};
	struct problem problem;

	return merge_run(&request, ret, &problem);
}

static bool has_no_tag(const struct node *node)
{
	bool ok = !node->tag;

	for (uint32_t i = 0; ok && node_is_sequence(node) && i < node->seq.count; i++)
		ok = has_no_tag(node->seq.items[i]);
	for (uint32_t i = 0; ok && node_is_map(node) && i < node->map.count; i++)
		ok = !node->map.pairs[i].key->tag && has_no_tag(node->map.pairs[i].value);
	return ok;
}

static bool without_tags_none_comes_out(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	uint32_t weight;

	if (run(round->given, false, round->inputs, round->count, &result) != 0 || !result->root)
		return true;
	return has_no_tag(result->root) && weighs_right(result->root, &weight);
}

static const struct node *deep_copy(struct arena *arena, const struct node *node)
{
	struct node *copy = check(node_copy(arena, node));

	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++)
		copy->seq.items[i] = deep_copy(arena, node->seq.items[i]);
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++) {
		copy->map.pairs[i].key = deep_copy(arena, node->map.pairs[i].key);
		copy->map.pairs[i].value = deep_copy(arena, node->map.pairs[i].value);
	}
	return copy;
}

static bool no_source_changes(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	const struct node *copies[LAYERS_MAX];

	for (size_t i = 0; i < round->count; i++)
		copies[i] = deep_copy(round->arena, round->roots[i]);
	run(round->given, true, round->inputs, round->count, &result);
	for (size_t i = 0; i < round->count; i++)
		if (!is_same(copies[i], round->roots[i]))
			return false;
	return true;
}

static bool result_with_tags_aggregates_to_itself(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *once = NULL, *twice = NULL;
	uint32_t weight;

	if (run(round->given, true, round->inputs, round->count, &once) != 0)
		return true;
	if (once->root && !weighs_right(once->root, &weight))
		return false;
	const struct source source = {.name = "once", .layer = "once"};
	const struct merge_input inputs[] = {
		{.source = source, .text = once->text}, {.source = source, .text = once->text}};
	return run("false", true, inputs, 2, &twice) == 0 && span_equal(once->text, twice->text);
}

static bool origins_change_nothing_and_tell_all_once(struct round *round)
{
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(merge_result_freep) struct merge_result *without = NULL, *with = NULL;
	struct options options =
		read_options(round->given, random_chance(&round->random, 50), &document);
	struct merge_input inputs[LAYERS_MAX] = {0};
	struct merge_request request = {
		.options = &options, .inputs = inputs, .count = round->count};
	struct problem problem;
	int r;

	/* As text, so that values have a place. */
	for (size_t i = 0; i < round->count; i++) {
		inputs[i].source = (struct source){
			.name = check(arena_printf(round->arena, "%zu", i)), .layer = ""};
		if (document_write(round->roots[i], &format_yaml, &LIMITS_DEFAULT, round->arena,
			    &inputs[i].text, &problem) != 0)
			abort();
	}
	r = merge_run(&request, &without, &problem);
	request.wants_origins = true;
	if (merge_run(&request, &with, &problem) != r)
		return false;
	return r != 0 || (span_equal(without->text, with->text) && origin_model_tells_once(with));
}

static bool holds_in(law_fn *holds, uint64_t seed, unsigned kind)
{
	struct round round;

	(void)kind;
	round_init(&round, seed);
	bool is_ok = holds(&round);
	if (!is_ok)
		printf("# %zu layers, level %s\n", round.count, round.given);
	arena_free(round.arena);
	return is_ok;
}

/* With an argument: that many rounds of each. */
int main(int argc, char **argv)
{
	static const struct law laws[] = {LAW(without_tags_none_comes_out), LAW(no_source_changes),
		LAW(result_with_tags_aggregates_to_itself),
		LAW(origins_change_nothing_and_tell_all_once), {0}};
	static const char *const kinds[] = {"", NULL};

	return laws_test(
		laws, kinds, argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS_DEFAULT, holds_in);
}
