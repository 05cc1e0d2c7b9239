/* Salt's vocabulary in C: what the models (tests/model) leave open. */
#include "salt.h"

#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "document.h"
#include "test.h"
#include "untimed.h"

/* Holds what is read, and all that is made of it, until the test ends. */
struct table {
	struct arena *arena;
	struct salt salt;
	struct document *documents[16];
	size_t count;
};

static int setup(void **state)
{
	struct table *table = calloc(1, sizeof(*table));

	*state = table;
	if (!table || arena_new(&table->arena) != 0)
		return -1;
	table->salt = (struct salt){.arena = table->arena};
	return 0;
}

static int teardown(void **state)
{
	struct table *table = *state;

	for (size_t i = 0; i < table->count; i++)
		document_free(table->documents[i]);
	arena_free(table->arena);
	free(table);
	return 0;
}

static const struct node *read_text(struct table *table, const char *text)
{
	const struct source source = {.name = "test", .layer = ""};
	const struct read_options options = {.keep_duplicates = true, .limits = limits_untimed()};
	struct problem problem;
	struct document *document;

	assert_true(table->count < sizeof(table->documents) / sizeof(*table->documents));
	assert_int_equal(document_read(&source, span_of(text), &options, &document, &problem), 0);
	table->documents[table->count++] = document;
	return document->roots[0];
}

static void assert_is(struct table *table, const struct node *value, const char *text)
{
	const struct limits limits = LIMITS_DEFAULT;
	struct problem problem;
	struct span written;

	assert_int_equal(
		document_write(value, &format_yaml, &limits, table->arena, &written, &problem), 0);
	assert_string_equal(written.data, text);
}

static const struct node *aggregate(
	struct table *table, const struct node *a, const struct node *b, struct salt_level level)
{
	const struct node *value = NULL;

	assert_int_equal(salt_aggregate(&table->salt, a, b, level, &value), 0);
	return value;
}

static const struct node *scalar_of(struct table *table, const char *text)
{
	const struct node *value;

	assert_int_equal(salt_scalar(&table->salt, read_text(table, text), &value), 0);
	return value;
}

TEST_WITH(levelise_uses_up_one_member_a_nesting, setup, teardown)
{
	struct salt_level level = {.count = 1, .flags = "01"};

	assert_true(salt_levelise(level, &level));
	assert_false(salt_levelise(level, &level));
	assert_true(salt_levelise(level, &level));
	assert_false(salt_levelise(level, &level));
	assert_false(salt_levelise(level, &level));
	assert_true(salt_levelise(SALT_LEVEL_TRUE, &level));
	assert_true(salt_levelise(level, &level));
	assert_false(salt_levelise(SALT_LEVEL_FALSE, &level));
}

TEST_WITH(aggregate_leaves_its_arguments_alone, setup, teardown)
{
	struct table *table = *state;
	const struct node *a = scalar_of(table, "1"), *b = scalar_of(table, "2");

	assert_is(table, aggregate(table, a, b, SALT_LEVEL_FALSE), "[1, 2]\n");
	assert_is(table, a, "[1]\n");
	assert_is(table, aggregate(table, a, b, SALT_LEVEL_FALSE), "[1, 2]\n");
}

/* Copying or searching all items for each key would take minutes. */
TEST_WITH(a_key_that_comes_often_takes_linear_time, setup, teardown)
{
	struct table *table = *state;
	CLEANUP(freep) char *text = NULL;
	const struct node *value;
	struct problem problem;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	for (int i = 0; i < 50000; i++)
		fprintf(stream, "a: !aggr-seq [%d]\nb: !aggr-map {c: {d: !aggr-map {k%d: 1}}}\n", i,
			i);
	fclose(stream);
	assert_int_equal(salt_construct(&table->salt, read_text(table, text), &value, &problem), 0);
	assert_int_equal(node_get(value, "a")->seq.count, 50000);
	value = node_get(node_get(node_get(value, "b"), "c"), "d");
	assert_int_equal(value->map.count, 50000);
	assert_int_equal(value->weight, 100001);
}
