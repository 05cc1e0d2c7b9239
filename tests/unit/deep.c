/* Promises of deep beyond its golden cases: sharing, cost, and bounds on hostile sources. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "merging.h"
#include "repeat.h"

/* The texts are read, as the time that this takes is not that of merging. */
static void set_deep(struct setting *setting, const char *options, const char *const *texts)
{
	set(setting, "deep", options, texts);
	for (size_t i = 0; i < setting->request.count; i++)
		setting->inputs[i].document = read_yaml(texts[i]);
}

static void fini(struct setting *setting)
{
	for (size_t i = 0; i < setting->request.count; i++)
		document_free((struct document *)setting->inputs[i].document);
	setting_fini(setting);
}

TEST(what_one_layer_alone_has_is_never_copied)
{
	CLEANUP(fini) struct setting setting;

	set_deep(&setting, NULL, TEXTS("a: {x: [1], y: 2}\nb: {c: 1}", "a: {y: {z: 3}}"));
	must_run(&setting);

	const struct node *low = setting.inputs[0].document->roots[0];
	const struct node *high = setting.inputs[1].document->roots[0];
	const struct node *root = setting.result->root;
	assert_ptr_equal(node_get(root, "b"), node_get(low, "b"));
	assert_ptr_equal(node_get(node_get(root, "a"), "x"), node_get(node_get(low, "a"), "x"));
	assert_ptr_equal(node_get(node_get(root, "a"), "y"), node_get(node_get(high, "a"), "y"));
}

TEST(a_layer_that_changes_nothing_leaves_the_tree_of_the_one_below)
{
	CLEANUP(fini) struct setting setting;

	set_deep(&setting, "{lists: {'*': {by: name}}}",
		TEXTS("a: [{name: x}]\nb: {c: 1}", "a: []\nb: {c: }\nd: !delete"));
	must_run(&setting);
	assert_ptr_equal(setting.result->root, setting.inputs[0].document->roots[0]);
}

TEST(a_value_keeps_the_place_that_it_was_read_from)
{
	CLEANUP(fini) struct setting setting;

	set_deep(&setting, NULL, TEXTS("a: 1", "b: 1\na: !replace\n  c: !replace 5"));
	must_run(&setting);

	const struct node *a = node_get(setting.result->root, "a");
	const struct node *c = node_get(a, "c");
	assert_ptr_equal(a->source, &setting.inputs[1].document->source);
	assert_int_equal(a->line, 2);
	assert_ptr_equal(c->source, &setting.inputs[1].document->source);
	assert_int_equal(c->line, 3);
	assert_int_equal(c->column, 6);
	assert_null(c->tag);
}

/* Returns the processor seconds of merging `count` documents into as many entries. */
static double seconds(const char *lists, const char *low, const char *high, unsigned count)
{
	CLEANUP(freep) char *below = repeat("", count, low, "");
	CLEANUP(freep) char *above = repeat("", count, high, "");
	CLEANUP(fini) struct setting setting;

	set_deep(&setting, lists, TEXTS(below, above));
	clock_t start = clock();
	must_run(&setting);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

TEST(the_cost_of_many_layers_is_linear)
{
	static const struct {
		const char *lists, *low, *high;
	} costly[] = {
		{"{documents: merge}", "k@: @\n", "---\nk@: !delete\n"},
		{"{documents: merge}", "k@: @\n", "---\nk1: !delete\n---\nk1: @\n"},
		{"{documents: merge}", "k@: @\n", "---\nn@: @\n"},
		{"{documents: merge, lists: append}", "- @\n", "---\n- @\n"},
		{"{documents: merge, lists: prepend}", "- @\n", "---\n- @\n"},
		{"{documents: merge, lists: unique}", "- [@]\n", "---\n- [@, x]\n"},
		{"{documents: merge, lists: {'*': {by: n}}}", "- {n: @}\n",
			"---\n- {n: @, x: 1}\n"},
		{"{documents: merge, lists: {'*': {by: n}}}", "- {n: @}\n",
			"---\n- !delete {n: @}\n"},
		{"{documents: merge, lists: {'*': {by: n}}}", "- {n: @}\n",
			"--- !prepend\n- {n: 1}\n---\n- {n: 1}\n"},
	};

	for (size_t i = 0; i < sizeof(costly) / sizeof(*costly); i++) {
		double few = 0, many = 0;

		/*
		 * Eight times as many take at most that; with quadratic cost it would be 64 times.
		 */
		for (int attempt = 0; attempt < 3; attempt++) {
			few = seconds(costly[i].lists, costly[i].low, costly[i].high, 2500);
			many = seconds(costly[i].lists, costly[i].low, costly[i].high, 20000);
			if (many < 24 * few)
				break;
		}
		if (many >= 24 * few)
			fail_msg("%s %s: %.4f s, then %.4f s", costly[i].low, costly[i].high, few,
				many);
	}
}

TEST(merging_by_key_and_by_value_in_turn_is_refused_before_it_takes_long)
{
	CLEANUP(freep)
	char *above = repeat("", 1000, "---\n- {n: 1, x: @}\n--- !unique\n- x@\n", "");
	CLEANUP(fini) struct setting setting;

	set_deep(&setting, "{documents: merge, lists: {'*': {by: n}}}", TEXTS("- {n: 1}", above));
	assert_int_equal(run(&setting), PROBLEM);
	assert_non_null(strstr(setting.problem.message, "in turn too often"));
}

TEST(long_texts_that_are_compared_end_at_the_limit_of_time)
{
	static const struct {
		const char *lists, *above;
	} ways[] = {{"append", "e: [!delete x]"}, {"unique", "e: [x]"}};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		CLEANUP(freep) char *text = repeat("t: &t ", 400000, "x", "\ne: [");
		CLEANUP(freep) char *below = repeat(text, 30000, "*t, ", "]\n");
		CLEANUP(freep) char *lists = repeat("lists: ", 1, ways[i].lists, "");
		CLEANUP(fini) struct setting setting;

		set_deep(&setting, lists, TEXTS(below, ways[i].above));
		setting.request.limits = LIMITS_DEFAULT;
		setting.request.limits.time_ms = 100;
		clock_t start = clock();
		assert_int_equal(run(&setting), PROBLEM);
		assert_non_null(strstr(setting.problem.message, "takes longer than 100 ms"));
		/* Reading has a limit of its own. */
		assert_true(clock() - start < CLOCKS_PER_SEC);
	}
}

/* a1 holds a0 nine times, and so on: 9^5 values in two hundred bytes. */
static const char bomb[] = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, !replace 1]\n"
			   "a1: &a1 [*a0, *a0, *a0, *a0, *a0, *a0, *a0, *a0, *a0]\n"
			   "a2: &a2 [*a1, *a1, *a1, *a1, *a1, *a1, *a1, *a1, *a1]\n"
			   "a3: &a3 [*a2, *a2, *a2, *a2, *a2, *a2, *a2, *a2, *a2]\n"
			   "a4: &a4 [*a3, *a3, *a3, *a3, *a3, *a3, *a3, *a3, *a3]\n";

TEST(directives_in_aliases_can_not_use_up_the_memory)
{
	CLEANUP(fini) struct setting setting;

	set_deep(&setting, NULL, TEXTS("x: 1", bomb, bomb));
	setting.request.limits = LIMITS_DEFAULT;
	setting.request.limits.nodes = 10000;
	assert_int_equal(run(&setting), PROBLEM);
	assert_string_equal(setting.problem.message,
		"merging makes too many values out of aliases; raise the limit 'nodes'");
}

TEST(a_source_that_is_deeper_than_the_request_allows_is_refused)
{
	CLEANUP(fini) struct setting setting;

	set_deep(&setting, NULL, TEXTS("a: {b: [{c: 1}]}", "a: {b: [!replace {c: 1}]}"));
	setting.request.limits = LIMITS_DEFAULT;
	setting.request.limits.depth = 3;
	assert_int_equal(run(&setting), PROBLEM);
	assert_string_equal(setting.problem.message,
		"more than 3 maps and lists in each other; raise the limit 'depth'");
	setting.request.limits.depth = 4;
	must_run(&setting);
}
