/*
 * Each allocation of an edit fails once: the result is -ENOMEM, and nothing leaks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "edit/edit.h"
#include "failing.h"
#include "reading.h"

/* Sets a.k, inserts an item into l, removes b. Returns 0 or -ENOMEM. */
static int edit(const struct format *format, struct span text, const struct node *keys)
{
	const struct edit_step set[] = {{.key = node_get(keys, "a")}, {.key = node_get(keys, "k")}};
	const struct edit_step insert[] = {{.key = node_get(keys, "l")}, {.index = 1}};
	const struct edit_step remove = {.key = keys->map.pairs[3].key};
	const struct edit_op ops[] = {
		{.kind = EDIT_SET, .steps = set, .count = 2, .value = keys},
		{.kind = EDIT_INSERT, .steps = insert, .count = 2, .value = keys},
		{.kind = EDIT_REMOVE, .steps = &remove, .count = 1},
	};
	const struct read_options options = {.format = format};
	const struct edit_request request = {.source = {.name = "text", .layer = ""},
		.text = text,
		.options = &options,
		.ops = ops,
		.count = 3};
	CLEANUP(edit_result_freep) struct edit_result *result = NULL;
	struct problem problem;
	int r = edit_run(&request, &result, &problem);

	if (r == PROBLEM)
		fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
	return r;
}

static void fail_each_allocation(const struct format *format, const char *text)
{
	CLEANUP(document_freep)
	struct document *keys = read_yaml("{a: a, k: k, l: l, b: \"b\\nc\\n\", m: [1, {n: o}]}");
	int r = -ENOMEM, n;

	for (n = 0; r; n++) {
		allocations_left = n;
		r = edit(format, span_of(text), keys->roots[0]);
		allocations_left = INT_MAX;
		if (r && r != -ENOMEM)
			fail_msg("allocation %d fails, and the answer is %d", n, r);
	}
	assert_in_range(n, 5, 10000);
}

static void edits_of_yaml_without_memory_leak_nothing(void **state)
{
	(void)state;
	fail_each_allocation(&format_yaml, "a:\n  x: 1 # c\nl:\n- 1\nb: |\n  y\n");
	fail_each_allocation(&format_yaml, "{a: {}, l: [1], b: 2}\r\n");
}

static void edits_of_json_without_memory_leak_nothing(void **state)
{
	(void)state;
	fail_each_allocation(&format_jsonc, "{\"a\": {}, // c\n \"l\": [1],\n \"b\": 2}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edits_of_yaml_without_memory_leak_nothing),
		cmocka_unit_test(edits_of_json_without_memory_leak_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
