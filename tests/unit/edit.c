/*
 * Edits that the folders in tests/edits can't express, as their ops are JSON.
 */

#include "edit/edit.h"
#include "reading.h"
#include "test.h"

TEST(key_that_is_equal_to_none_is_not_set)
{
	CLEANUP(document_freep)
	struct document *document = read_yaml("{.nan: 1, b: 2, ? {c: [.nan]} : 3}");
	const struct node *root = document->roots[0];
	const struct edit_step steps[] = {{.key = root->map.pairs[0].key},
		{.key = root->map.pairs[1].key}, {.key = root->map.pairs[2].key}};
	const struct read_options options = {.format = &format_yaml};
	const struct edit_op ops[] = {
		{.kind = EDIT_SET, .steps = steps, .count = 1, .value = root},
		{.kind = EDIT_SET, .steps = steps, .count = 2, .value = root},
		{.kind = EDIT_SET, .steps = steps + 2, .count = 1, .value = root},
	};
	CLEANUP(edit_result_freep) struct edit_result *result = NULL;
	struct edit_request request = {.source = {.name = "text", .layer = ""},
		.text = span_of("b: 2\n.nan: 1\n"),
		.options = &options,
		.count = 1};
	struct problem problem;

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		request.ops = &ops[i];
		assert_int_equal(edit_run(&request, &result, &problem), PROBLEM);
		assert_null(result);
		assert_string_equal(problem.message,
			"a key that is NaN, or contains it, is not equal "
			"to itself, so plyfs can't set it; edit it by hand");
	}
}
