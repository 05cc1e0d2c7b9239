/*
 * Each allocation of a merge that notes origins fails once: the result is -ENOMEM, and nothing
 * leaks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing.h"
#include "pillar_tree.h"
#include "reading.h"
#include "strategy.h"

/* Returns `first`, then `format` 400 times, with the number in place of each #. */
static char *repeat(const char *first, const char *format)
{
	size_t size = 1 << 18, len = (size_t)snprintf(NULL, 0, "%s", first);
	char *text = calloc(1, size);

	assert_non_null(text);
	strcpy(text, first);
	for (int i = 0; i < 400; i++)
		for (const char *at = format; *at; at++)
			len += (size_t)snprintf(text + len, size - len, *at == '#' ? "%d" : "%c",
				*at == '#' ? i : *at);
	return text;
}

static void check_all(int (*run)(void *context, struct merge_result **ret), void *context)
{
	struct merge_result *result = NULL;
	int r = -ENOMEM, n;

	for (n = 0; r; n++) {
		allocations_left = n;
		r = run(context, &result);
		allocations_left = INT_MAX;
		if (r && r != -ENOMEM)
			fail_msg("allocation %d fails, and the answer is %d", n, r);
	}
	merge_result_free(result);
	assert_in_range(n, 5, 10000);
}

static int run_request(void *context, struct merge_result **ret)
{
	struct problem problem;

	return merge_run(context, ret, &problem);
}

static void fail_each_allocation(
	const char *strategy, const char *options_text, const char *low, const char *high)
{
	CLEANUP(freep) char *below = repeat("", low), *above = repeat("", high);
	CLEANUP(document_freep) struct document *document = read_yaml(options_text);
	const struct options options = {strategy_find(span_of(strategy)), document->roots[0]};
	const struct merge_input inputs[] = {
		{.source = {.name = "a", .layer = ""}, .text = span_of(below)},
		{.source = {.name = "b", .layer = ""}, .text = span_of(above)},
		{.source = {.name = "c", .layer = ""}, .text = span_of(below)},
	};
	struct merge_request request = {
		.options = &options, .inputs = inputs, .count = 3, .wants_origins = true};

	check_all(run_request, &request);
}

static void deep_without_memory_leaks_nothing(void **state)
{
	(void)state;
	fail_each_allocation("deep", "{lists: append}", "k#: {a: &x# 1, b: *x#, l: [1]}\n",
		"k#: {a: !delete , b: 2, l: [2]}\n");
	fail_each_allocation("deep", "{documents: merge}", "---\na: #\n", "---\na: {x: #}\n");
}

static void salt_without_memory_leaks_nothing(void **state)
{
	(void)state;
	fail_each_allocation("salt", "{level: false}", "k#: {a: 1, b: !aggr-seq [1], c: 1}\n",
		"k#: {a: 2, b: !aggr-seq [2]}\n");
	fail_each_allocation("salt", "{level: 2}", "k: {a: #}\n", "!reset k: [#]\n");
}

static int run_pillar(void *context, struct merge_result **ret)
{
	struct problem problem;

	return pillar_tree_merge(context, "h.yaml", NULL, LIMITS_DEFAULT, ret, &problem);
}

static void pillar_without_memory_leaks_nothing(void **state)
{
	static struct pillar_tree tree;
	CLEANUP(freep)
	char *host = repeat(
		"_merge: [z, y]\n_neighbours: [z]\n", "k#: {a: 1, l: [_replace, 1], m: {x: 1}}\n");
	CLEANUP(freep) char *zone = repeat("", "k#: {a: 2, l: [2], m: {y: 1}}\n---\n");
	CLEANUP(freep) char *other = repeat("_merge: z\n", "k#: {a: 3, l: [3], m: 1}\n");

	(void)state;
	pillar_tree_init(&tree);
	tree.wants_origins = true;
	pillar_tree_add(&tree, "h.yaml", host);
	pillar_tree_add(&tree, "z.yaml", zone);
	pillar_tree_add(&tree, "y.yaml", other);
	check_all(run_pillar, &tree);
	pillar_tree_fini(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deep_without_memory_leaks_nothing),
		cmocka_unit_test(salt_without_memory_leaks_nothing),
		cmocka_unit_test(pillar_without_memory_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
