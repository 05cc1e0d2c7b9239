/*
 * Each allocation of reading a schema and of validating by it fails once: the result is -ENOMEM,
 * and nothing leaks.
 */
#include "schema.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cleanup.h"
#include "failing.h"

#define NAMES 300

/* So many keys that each table and arena grows a few times. */
static char *long_schema(void)
{
	size_t size = 1 << 16, len = 0;
	char *text = calloc(1, size);

	assert_non_null(text);
	len += (size_t)snprintf(text, size,
		"$defs: {a: {$anchor: x, pattern: '^a', enum: [a, b]}}\n"
		"unevaluatedProperties: false\nrequired: [z]\npatternProperties: {'^q': false}\n"
		"$comment: {$ref: https://json-schema.org/draft/2020-12/schema}\n"
		"allOf: [{$ref: https://json-schema.org/draft/2020-12/schema}]\nproperties:\n");
	for (int i = 0; i < NAMES; i++)
		len += (size_t)snprintf(text + len, size - len,
			"  k%d: {anyOf: [{$ref: '#x'}, {uniqueItems: true, type: array}]}\n", i);
	return text;
}

static char *long_document(void)
{
	size_t size = 1 << 16, len = 0;
	char *text = calloc(1, size);

	assert_non_null(text);
	for (int i = 0; i < NAMES; i++)
		len += (size_t)snprintf(
			text + len, size - len, "k%d: %s\n", i, i % 3 ? "b" : "[1, 2, 3, 4, 5, 5]");
	len += (size_t)snprintf(text + len, size - len, "q: 1\nr: 2\n");
	return text;
}

static int read_and_validate(const char *text, const struct document *document, uint32_t *count)
{
	const struct source source = {.name = "s.yaml", .layer = ""};
	CLEANUP(schema_freep) struct schema *schema = NULL;
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct faults faults = {0};
	struct problem problem;

	int r = schema_read(&source, span_of(text), &format_yaml, &schema, &problem);
	if (r == 0)
		r = arena_new(&arena);
	if (r == 0)
		r = schema_validate(schema, document->roots[0], arena, &faults, &problem);
	*count = faults.count;
	return r;
}

static void each_allocation_may_fail(void **state)
{
	char *schema = long_schema(), *text = long_document();
	const struct source source = {.name = "app.yaml", .layer = ""};
	const struct read_options options = {.format = &format_yaml};
	struct document *document;
	struct problem problem;
	uint32_t count = 0;
	int r = -ENOMEM, n;

	(void)state;
	assert_int_equal(document_read(&source, span_of(text), &options, &document, &problem), 0);
	for (n = 0; r; n++) {
		allocations_left = n;
		r = read_and_validate(schema, document, &count);
		allocations_left = INT_MAX;
		if (r && r != -ENOMEM)
			fail_msg("allocation %d fails, and the answer is %d", n, r);
	}
	/* No failure was overlooked. */
	assert_int_equal(count, FAULTS_MAX);
	assert_in_range(n, 30, 10000);
	document_free(document);
	free(schema);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
