/* deep against its model, on random layers; then laws that hold whatever the rules are. */
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "deep_model.h"
#include "laws.h"
#include "merge.h"
#include "origin_model.h"
#include "random_tree.h"
#include "scalar.h"
#include "strategy.h"

#define LAYERS_MAX 10
#define ROUNDS_DEFAULT 1500

static void *check(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/* Identical, order and origin included; scalars must be the very nodes of the sources. */
static bool is_identical(const struct node *a, const struct node *b)
{
	bool is_bare_copy = a->line == b->line && a->column == b->column && a->source == b->source;

	if (a->kind != b->kind || strcmp(a->tag ? a->tag : "", b->tag ? b->tag : "") != 0)
		return false;
	if (node_is_scalar(a))
		return a == b || (is_bare_copy && !a->tag && span_equal(a->text, b->text) &&
					 a->style == b->style);
	if (a->weight != b->weight)
		return false;
	if (node_is_sequence(a)) {
		if (a->seq.count != b->seq.count)
			return false;
		for (uint32_t i = 0; i < a->seq.count; i++)
			if (!is_identical(a->seq.items[i], b->seq.items[i]))
				return false;
		return true;
	}
	if (a->map.count != b->map.count)
		return false;
	for (uint32_t i = 0; i < a->map.count; i++)
		if (!is_identical(a->map.pairs[i].key, b->map.pairs[i].key) ||
			!is_identical(a->map.pairs[i].value, b->map.pairs[i].value) ||
			node_find(a, b->map.pairs[i].key) != &a->map.pairs[i])
			return false;
	return true;
}

/* One random problem: the layers as text and read, and the options. */
struct round {
	struct arena *arena;
	const struct node *trees[LAYERS_MAX]; /* what the layers were written from */
	struct document *layers[LAYERS_MAX];
	struct span texts[LAYERS_MAX];
	size_t count;
	struct deep_model model;
	struct document *options_document;
	struct options options;
	const char *options_text;
	bool wants_origins;
};

static const char *const words[] = {"a", "b", "c", "name", "1", "a", "b", NULL};
static const char *const scalars[] = {
	"1", "2", "1.0", "\"1", "true", "null", "~", "x", "\"", "", "y", NULL};
static const char *const any_tags[] = {"!replace", "!override", "!replace", "!Ref", NULL};
static const char *const list_tags[] = {"!append", "!prepend", "!unique", "!replace", NULL};
static const char *const empty_tags[] = {"!delete", "!delete", "!reset", NULL};

static struct document *read_yaml(const char *name, struct span text)
{
	const struct source source = {.name = name, .layer = ""};
	const struct read_options options = {.format = &format_yaml};
	struct problem problem;
	struct document *document;

	if (document_read(&source, text, &options, &document, &problem) != 0) {
		printf("# %s:%u: %s\n%s\n", problem.source, problem.line, problem.message,
			text.data);
		abort();
	}
	return document;
}

static struct span write_yaml(struct arena *arena, const struct node *root)
{
	struct problem problem;
	struct span text = span_of("");

	if (root &&
		document_write(root, &format_yaml, &LIMITS_DEFAULT, arena, &text, &problem) != 0)
		abort();
	return text;
}

static void make_rules(struct round *round, struct random *random, bool is_by_key)
{
	static const char *const patterns[] = {"*", "a", "b", "a.*", "*.b", "**.c", "a.b", "*.*.a",
		"**.a.**", "", "name", "c.*.a"};
	static const char *const modes[] = {"replace", "append", "prepend", "unique", "by"};
	struct deep_model *model = &round->model;
	char *text = check(arena_printf(round->arena, "lists:\n  z: append\n"));
	const char *way = "name";
	uint32_t used = 0;

	model->by[0] = "name";
	if (random_chance(random, 40)) {
		model->by[0] = "a";
		model->by[1] = "name";
		way = "[a, name]";
	} else if (random_chance(random, 60)) {
		static const char *const ways[] = {
			[DEEP_MODEL_ALL] = "{all: [a, name]}",
			[DEEP_MODEL_NESTED] = "a.name",
			[DEEP_MODEL_BEFORE] = "{before: .}",
		};
		model->by[0] = "a";
		model->by[1] = "name";
		model->way = DEEP_MODEL_ALL + random_below(random, 3);
		way = ways[model->way];
	}
	model->twice = random_chance(random, 50);
	const char *by = check(arena_printf(
		round->arena, "{by: %s%s}", way, model->twice ? "" : ", twice: error"));

	for (uint32_t i = random_below(random, DEEP_MODEL_RULES_MAX + 1); i > 0; i--) {
		uint32_t number = random_below(random, sizeof(patterns) / sizeof(*patterns));
		const char *mode = modes[random_below(random, 5)];

		if (is_by_key && random_chance(random, 90)) {
			number = 1;
			mode = "by";
		}
		if (used & (1u << number))
			continue;
		used |= 1u << number;
		model->rules[model->rule_count++] =
			(struct deep_model_rule){patterns[number], mode};
		text = check(arena_printf(round->arena, "%s  \"%s\": %s\n", text, patterns[number],
			strcmp(mode, "by") == 0 ? by : mode));
	}
	round->options_text = text;
	round->options_document = read_yaml("options", span_of(text));
	round->options =
		(struct options){strategy_find(span_of("deep")), round->options_document->roots[0]};
}

enum sort {
	SORT_PLAIN,    /* without directives */
	SORT_TAGGED,   /* with directives */
	SORT_ONE_LIST, /* many layers that fight over one large list, mostly by key */
};

static struct random_tree_shape make_shape(struct random *random, enum sort sort)
{
	static const char *const one_word[] = {"a", NULL};
	static const char *const few_scalars[] = {"1", "x", NULL};
	static const char *const growing_tags[] = {"!append", "!prepend", "!unique", NULL};
	struct random_tree_shape shape = {
		.depth = 2 + random_below(random, 4),
		.width = 2 + random_below(random, 5),
		.scalar_percent = 35,
		.list_percent = 50,
		.keys = words,
		.scalars = scalars,
		.item_key = "name",
		.flow_percent = 30,
	};

	if (sort != SORT_PLAIN) {
		shape.tags = any_tags;
		shape.list_tags = list_tags;
		shape.empty_tags = empty_tags;
		shape.value_tags = empty_tags;
		shape.tag_percent = 1 + random_below(random, 30);
		shape.stray_percent = random_chance(random, 20) ? 5 : 0;
	}
	if (sort == SORT_ONE_LIST) {
		shape.keys = one_word;
		shape.scalars = few_scalars;
		shape.tags = random_chance(random, 50) ? any_tags : NULL;
		shape.list_tags = growing_tags;
		shape.tag_percent = 20 + random_below(random, 50);
		shape.depth = 3 + random_chance(random, 20);
		shape.width = 2 + random_below(random, 14);
		shape.scalar_percent = 5;
		shape.list_percent = 90;
	}
	return shape;
}

static void round_init(struct round *round, uint64_t seed, enum sort sort)
{
	struct random random = {seed};
	struct random_tree_shape shape = make_shape(&random, sort);
	uint32_t layers = sort == SORT_ONE_LIST ? LAYERS_MAX : LAYERS_MAX / 2;

	*round = (struct round){.count = 1 + random_below(&random, layers)};
	if (arena_new(&round->arena) < 0)
		abort();
	round->model.arena = round->arena;
	make_rules(round, &random, sort == SORT_ONE_LIST);
	shape.item_up = round->model.way == DEEP_MODEL_NESTED ? "a" : NULL;
	shape.has_text_items = round->model.way == DEEP_MODEL_BEFORE;
	for (size_t i = 0; i < round->count; i++) {
		const struct node *tree =
			check((struct node *)random_tree(round->arena, &random, &shape));
		const char *name = check(arena_printf(round->arena, "%zu", i));
		round->trees[i] = tree;
		round->texts[i] = write_yaml(round->arena, tree);
		round->layers[i] = read_yaml(name, round->texts[i]);
	}
}

static void round_fini(struct round *round)
{
	for (size_t i = 0; i < round->count; i++)
		document_free(round->layers[i]);
	document_free(round->options_document);
	arena_free(round->arena);
}

/*
 * Merges with the real implementation. A layer "# " without an opinion keeps a single one from
 * being shown as it is.
 */
static int run(const struct round *round, const struct span *texts, struct document *const *layers,
	size_t count, struct merge_result **ret)
{
	struct merge_input inputs[LAYERS_MAX + 1] = {0};
	struct problem problem;
	struct merge_request request = {.options = &round->options,
		.inputs = inputs,
		.count = count + 1,
		.wants_origins = round->wants_origins};

	for (size_t i = 0; i < count; i++) {
		inputs[i].text = texts[i];
		inputs[i].document = layers ? layers[i] : NULL;
	}
	inputs[count].text = span_of("# ");
	return merge_run(&request, ret, &problem);
}

static void fail(const struct round *round, const char *law, struct span expected, struct span got)
{
	printf("# broken: %s\n# options:\n%s", law, round->options_text);
	for (size_t i = 0; i < round->count; i++)
		printf("# layer %zu:\n%s", i, round->texts[i].data);
	printf("# expected:\n%s# got:\n%s", expected.data, got.data);
}

static bool same_as_the_model(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	int r = run(round, round->texts, round->layers, round->count, &result);
	const struct node *expected = deep_model_merge(&round->model, round->layers, round->count);

	if (round->model.failed && r == PROBLEM)
		return true;
	if (!round->model.failed && r == 0 && !expected && !result->root)
		return true;
	if (!round->model.failed && r == 0 && expected && result->root &&
		is_identical(expected, result->root))
		return true;
	fail(round, "same as the model",
		round->model.failed ? span_of("failure\n") : write_yaml(round->arena, expected),
		r == 0 ? result->text : span_of("failure\n"));
	return false;
}

static bool has_directive(const struct node *node)
{
	if (deep_model_is_directive(node))
		return true;
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++)
		if (has_directive(node->map.pairs[i].value))
			return true;
	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++)
		if (has_directive(node->seq.items[i]))
			return true;
	return false;
}

static bool no_directive_comes_out_and_no_source_changes(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;

	if (run(round, round->texts, round->layers, round->count, &result) != 0)
		return true;
	for (size_t i = 0; i < round->count; i++) {
		struct span now = write_yaml(round->arena, round->layers[i]->roots[0]);
		if (!span_equal(now, round->texts[i])) {
			fail(round, "no source changes", round->texts[i], now);
			return false;
		}
	}
	if (!result->root || !has_directive(result->root))
		return true;
	fail(round, "no directive comes out", span_of(""), result->text);
	return false;
}

static bool removes_items(const struct node *node)
{
	bool does = false;

	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++)
		does |= removes_items(node->map.pairs[i].value);
	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++)
		does |= deep_model_is_delete(node->seq.items[i]) ||
			removes_items(node->seq.items[i]);
	return does;
}

/* Equal; and if a key has no value at all in one, it has none in the other: no opinion. */
static bool same_nodes(const struct node *a, const struct node *b)
{
	bool same = a->kind == b->kind && node_equal(a, b);

	for (uint32_t i = 0; same && i < node_count(a); i++) {
		const struct node *left = *node_entry(a, i);
		const struct node *right =
			node_is_map(a) ? node_find(b, a->map.pairs[i].key)->value : b->seq.items[i];
		same = same_nodes(left, right) &&
		       (!node_is_map(a) || scalar_is_empty(left) == scalar_is_empty(right));
	}
	return same;
}

static bool same_opinions(const struct merge_result *a, const struct merge_result *b)
{
	return a->root && b->root ? same_nodes(a->root, b->root) : !a->root == !b->root;
}

/* Merging some layers first and the others into the result, as text, gives equal values. */
static bool merging_in_two_steps_is_the_same(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *whole = NULL;
	CLEANUP(merge_result_freep) struct merge_result *first = NULL;
	CLEANUP(merge_result_freep) struct merge_result *second = NULL;
	struct span texts[LAYERS_MAX];
	size_t count = round->count / 2;

	/* The place that an item had before it was removed is known only in a single merge. */
	for (size_t i = 0; i < count; i++)
		if (removes_items(round->layers[i]->roots[0]))
			return true;
	if (run(round, round->texts, round->layers, round->count, &whole) != 0 ||
		run(round, round->texts, round->layers, count, &first) != 0)
		return true;
	texts[0] = first->text;
	for (size_t i = count; i < round->count; i++)
		texts[i - count + 1] = round->texts[i];
	/* The result of !append on a keyed list may have a key twice, which no source may have. */
	if (run(round, texts, NULL, round->count - count + 1, &second) != 0)
		return true;
	if (same_opinions(whole, second))
		return true;
	fail(round, "merging in two steps is the same", whole->text, second->text);
	return false;
}

/* The output reads back the same, opinions included: so it may be a layer. */
static bool what_is_written_is_read_again(struct round *round)
{
	for (size_t i = 0; i < round->count; i++) {
		const struct node *read = round->layers[i]->roots[0];
		if (same_nodes(round->trees[i], read))
			continue;
		fail(round, "what is written is read again", round->texts[i], span_of(""));
		return false;
	}
	return true;
}

/* The output, as the only layer, gives the same output again. */
static bool the_output_comes_out_again(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *once = NULL;
	CLEANUP(merge_result_freep) struct merge_result *again = NULL;

	if (run(round, round->texts, round->layers, round->count, &once) != 0)
		return true;
	/* A list by key that has a key twice is not allowed in a source. */
	if (run(round, &once->text, NULL, 1, &again) != 0 || span_equal(once->text, again->text))
		return true;
	fail(round, "the output comes out again", once->text, again->text);
	return false;
}

/* A layer without directives that was merged by itself takes precedence over others as before. */
static bool what_came_out_counts_as_its_source(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *whole = NULL;
	CLEANUP(merge_result_freep) struct merge_result *alone = NULL;
	CLEANUP(merge_result_freep) struct merge_result *with = NULL;
	size_t last = round->count - 1;
	struct span texts[LAYERS_MAX];

	if (round->layers[last]->has_local_tags ||
		run(round, round->texts, round->layers, round->count, &whole) != 0 ||
		run(round, round->texts + last, round->layers + last, 1, &alone) != 0)
		return true;
	memcpy(texts, round->texts, sizeof(texts));
	texts[last] = alone->text;
	if (run(round, texts, NULL, round->count, &with) == 0 && same_opinions(whole, with))
		return true;
	fail(round, "what came out counts as its source", whole->text,
		with ? with->text : span_of("failure\n"));
	return false;
}

static bool an_empty_map_changes_nothing(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	CLEANUP(merge_result_freep) struct merge_result *below = NULL;
	CLEANUP(merge_result_freep) struct merge_result *above = NULL;
	const struct span under[] = {span_of("{}\n"), round->texts[0]};
	const struct span over[] = {round->texts[0], span_of("{}\n")};

	if (!node_is_map(round->layers[0]->roots[0]) || round->layers[0]->roots[0]->tag ||
		run(round, round->texts, NULL, 1, &result) != 0)
		return true;
	if (run(round, under, NULL, 2, &below) == 0 && run(round, over, NULL, 2, &above) == 0 &&
		span_equal(result->text, below->text) && span_equal(result->text, above->text))
		return true;
	fail(round, "an empty map changes nothing", result->text,
		below ? below->text : span_of("failure\n"));
	return false;
}

static bool has_growing_list(const struct node *node)
{
	if (deep_model_is_list_tag(node))
		return true;
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++)
		if (has_growing_list(node->map.pairs[i].value))
			return true;
	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++)
		if (has_growing_list(node->seq.items[i]))
			return true;
	return false;
}

/* Except for lists that grow, a layer merged into itself stays as it is. */
static bool merging_twice_is_merging_once(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *once = NULL;
	CLEANUP(merge_result_freep) struct merge_result *twice = NULL;
	const struct span texts[] = {round->texts[0], round->texts[0]};
	const struct options defaults = {.strategy = round->options.strategy};
	struct round plain = *round;

	plain.options = defaults;
	if (has_growing_list(round->layers[0]->roots[0]))
		return true;
	if (run(&plain, texts, NULL, 1, &once) != 0 || run(&plain, texts, NULL, 2, &twice) != 0)
		return true;
	if (span_equal(once->text, twice->text))
		return true;
	fail(&plain, "merging twice is merging once", once->text, twice->text);
	return false;
}

static bool origins_change_nothing_and_tell_all_once(struct round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *without = NULL;
	CLEANUP(merge_result_freep) struct merge_result *with = NULL;
	struct round asking = *round;
	bool is_plain = true;

	asking.wants_origins = true;
	int r = run(round, round->texts, round->layers, round->count, &without);
	if (run(&asking, round->texts, round->layers, round->count, &with) != r)
		return false;
	if (r != 0)
		return true;
	for (size_t i = 0; i < round->count; i++)
		is_plain &= !round->layers[i]->has_local_tags;
	/* The model of origins knows no list that stands for a map. */
	is_plain &= round->model.way != DEEP_MODEL_BEFORE;
	if (span_equal(without->text, with->text) && origin_model_tells_once(with) &&
		(!is_plain || origin_model_agrees(with, round->layers, round->count)))
		return true;
	fail(round, "origins change nothing and tell all once", without->text, with->text);
	return false;
}

static bool holds_in(law_fn *holds, uint64_t seed, unsigned kind)
{
	struct round round;

	round_init(&round, seed, (enum sort)kind);
	bool is_ok = holds(&round);
	round_fini(&round);
	return is_ok;
}

/* With an argument: that many rounds of each. */
int main(int argc, char **argv)
{
	static const struct law laws[] = {LAW(same_as_the_model),
		LAW(no_directive_comes_out_and_no_source_changes),
		LAW(merging_in_two_steps_is_the_same), LAW(what_is_written_is_read_again),
		LAW(the_output_comes_out_again), LAW(what_came_out_counts_as_its_source),
		LAW(an_empty_map_changes_nothing), LAW(merging_twice_is_merging_once),
		LAW(origins_change_nothing_and_tell_all_once), {0}};
	static const char *const kinds[] = {[SORT_PLAIN] = "",
		[SORT_TAGGED] = "_with_tags",
		[SORT_ONE_LIST] = "_in_one_list",
		NULL};

	return laws_test(
		laws, kinds, argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS_DEFAULT, holds_in);
}
