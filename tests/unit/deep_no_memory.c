/*
 * Each allocation of a deep merge fails once: the result is -ENOMEM, and nothing leaks.
 *
 * The linker sends the core's calls of malloc(3) and calloc(3) here (--wrap); the sources have been
 * read before.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing.h"
#include "reading.h"
#include "strategy.h"

/* Lists and maps so large that every array in them grows into a new block of its arena. */
static char *layer(const char *format)
{
	size_t size = 1 << 20;
	char *text = calloc(1, size), line[200];

	assert_non_null(text);
	for (int i = 0; i < 900; i++) {
		size_t len = 0;
		for (const char *at = format; *at; at++)
			len += (size_t)snprintf(line + len, sizeof(line) - len,
				*at == '#' ? "%d" : "%c", *at == '#' ? i : *at);
		strcat(text, line);
	}
	return text;
}

static void fail_each_allocation(const char *lists, const char *low, const char *high)
{
	CLEANUP(freep) char *below = layer(low), *above = layer(high);
	CLEANUP(document_freep) struct document *options_document = read_yaml(lists);
	CLEANUP(document_freep) struct document *first = read_yaml(below);
	CLEANUP(document_freep) struct document *second = read_yaml(above);
	const struct options options = {strategy_find(span_of("deep")), options_document->roots[0]};
	const struct merge_input inputs[] = {
		{.text = span_of(below), .document = first},
		{.text = span_of(above), .document = second},
		{.text = span_of(below), .document = first},
	};
	const struct merge_request request = {.options = &options, .inputs = inputs, .count = 3};
	struct merge_result *result = NULL;
	struct problem problem;
	int r = -ENOMEM, n;

	for (n = 0; r; n++) {
		allocations_left = n;
		r = merge_run(&request, &result, &problem);
		allocations_left = INT_MAX;
		if (r && r != -ENOMEM)
			fail_msg("allocation %d fails, and the answer is %d", n, r);
	}
	merge_result_free(result);
	assert_in_range(n, 5, 10000);
}

static void maps_without_memory_leak_nothing(void **state)
{
	(void)state;
	fail_each_allocation(
		"{}", "k#: {a: 1, b: 2}\n", "k#: {a: !delete , c: !replace 1}\nn#: 1\n");
}

static void lists_without_memory_leak_nothing(void **state)
{
	(void)state;
	fail_each_allocation("{lists: append}", "- !replace #\n", "- [#]\n");
	fail_each_allocation("{lists: prepend}", "- #\n", "- [#]\n");
	fail_each_allocation("{lists: unique}", "- #\n", "- {a#: 1}\n");
	fail_each_allocation(
		"{lists: {'*': {by: n}}}", "- {n: #}\n", "- {n: x#}\n- !delete {n: #}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_without_memory_leak_nothing),
		cmocka_unit_test(lists_without_memory_leak_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
