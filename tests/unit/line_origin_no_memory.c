/*
 * Each allocation of line_origins_read() fails once: the result is -ENOMEM, and nothing leaks.
 */
#include "line_origin.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing.h"
#include "strategy.h"

/* So many lines that each array is a block of its own. */
static char *long_text(void)
{
	size_t size = 1 << 14, len = 0;
	char *text = calloc(1, size);

	assert_non_null(text);
	while (len + 32 < size) {
		memcpy(text + len, "- |\n  one\n  two\n", 16);
		len += 16;
	}
	return text;
}

static void each_allocation_may_fail(void **state)
{
	char *text = long_text();
	const struct options options = {.strategy = strategy_find(span_of("deep"))};
	const struct merge_input inputs[] = {
		{.source = {.name = "low", .layer = "low"}, .text = span_of("")},
		{.source = {.name = "high", .layer = "high", .rank = 1}, .text = span_of(text)},
	};
	const struct merge_request request = {
		.options = &options, .inputs = inputs, .count = 2, .wants_origins = true};
	struct line_origins *origins = NULL;
	struct merge_result *result;
	struct problem problem;
	int r = -ENOMEM, n;

	(void)state;
	assert_int_equal(merge_run(&request, &result, &problem), 0);
	for (n = 0; r; n++) {
		allocations_left = n;
		r = line_origins_read(&request, result, &origins);
		allocations_left = INT_MAX;
		if (r && r != -ENOMEM)
			fail_msg("allocation %d fails, and the answer is %d", n, r);
	}
	/* No failure was overlooked: the last line is found in the source. */
	assert_string_equal(origins->lines[origins->count - 1].source->name, "high");
	assert_int_equal(origins->lines[origins->count - 1].source_line, origins->count);
	assert_in_range(n, 5, 10000);
	line_origins_free(origins);
	merge_result_free(result);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
