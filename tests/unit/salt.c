/* Salt's vocabulary in C: Salt's own unit tests of it, and what they leave open. */
#include "salt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cleanup.h"
#include "document.h"
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

static struct salt_level level_of(struct table *table, const char *text)
{
	const struct node *value = read_text(table, text);
	struct salt_level level;
	struct problem problem;

	assert_int_equal(salt_level_check(value, &problem), 0);
	assert_int_equal(salt_level_of(value, table->arena, &level), 0);
	return level;
}

static const struct node *scalar_of(struct table *table, const char *text)
{
	const struct node *value;

	assert_int_equal(salt_scalar(&table->salt, read_text(table, text), &value), 0);
	return value;
}

/* {foo: {bar: `value`}}, with foo's map marked or not. */
static const struct node *nest(struct table *table, const struct node *value, bool is_marked)
{
	struct node *foo = node_new_map(table->arena, NULL);
	struct node *root = node_new_map(table->arena, NULL);
	const struct node *inner = foo;

	foo->style = root->style = NODE_FLOW;
	assert_int_equal(node_put(table->arena, foo, read_text(table, "bar"), value), 0);
	if (is_marked)
		assert_int_equal(salt_map(&table->salt, foo, &inner), 0);
	assert_int_equal(node_put(table->arena, root, read_text(table, "foo"), inner), 0);
	return root;
}

static void check_levels(
	struct table *table, const char *level, const char *map, const char *scalar)
{
	struct salt_level given = level_of(table, level);
	const struct node *a = read_text(table, "{foo: 42, bar: first}");
	const struct node *b = read_text(table, "{bar: second}");
	const struct node *c = read_text(table, "first"), *d = read_text(table, "second");

	assert_is(table, aggregate(table, a, b, given), map);
	assert_is(table, aggregate(table, c, d, given), scalar);
}

static void without_a_level_only_keys_of_the_later_are_looked_at(void **state)
{
	check_levels(*state, "null", "{bar: second}\n", "second\n");
	check_levels(*state, "false", "{bar: second}\n", "second\n");
	check_levels(*state, "0", "{bar: second}\n", "second\n");
}

static void an_empty_list_of_levels_is_none(void **state)
{
	check_levels(*state, "[]", "{bar: second}\n", "second\n");
}

static void first_level_is_aggregated(void **state)
{
	check_levels(*state, "1", "{foo: 42, bar: second}\n", "[first, second]\n");
	check_levels(*state, "[1, 0]", "{foo: 42, bar: second}\n", "[first, second]\n");
	check_levels(*state, "[true]", "{foo: 42, bar: second}\n", "[first, second]\n");
}

static void a_string_of_levels_is_read_by_character(void **state)
{
	check_levels(*state, "'10000'", "{foo: 42, bar: second}\n", "[first, second]\n");
	check_levels(*state, "'11'", "{foo: 42, bar: [first, second]}\n", "[first, second]\n");
}

static void two_levels_are_aggregated(void **state)
{
	check_levels(*state, "2", "{foo: 42, bar: [first, second]}\n", "[first, second]\n");
	check_levels(*state, "[1, 1]", "{foo: 42, bar: [first, second]}\n", "[first, second]\n");
	check_levels(
		*state, "[true, true]", "{foo: 42, bar: [first, second]}\n", "[first, second]\n");
}

static void all_levels_are_aggregated(void **state)
{
	check_levels(*state, "true", "{foo: 42, bar: [first, second]}\n", "[first, second]\n");
	check_levels(*state, "-1", "{foo: 42, bar: [first, second]}\n", "[first, second]\n");
}

static void nested_values_are_replaced_and_scalars_collected(void **state)
{
	struct table *table = *state;
	const struct node *plain = aggregate(table, nest(table, read_text(table, "first"), false),
		nest(table, read_text(table, "second"), false), SALT_LEVEL_FALSE);
	const struct node *marked = aggregate(table, nest(table, scalar_of(table, "first"), false),
		nest(table, scalar_of(table, "second"), false), SALT_LEVEL_FALSE);

	assert_is(table, plain, "{foo: {bar: second}}\n");
	assert_is(table, marked, "{foo: {bar: [first, second]}}\n");
}

static void instructions_hold_across_two_aggregations(void **state)
{
	struct table *table = *state;
	const struct node *a = nest(table, scalar_of(table, "first"), true);
	const struct node *b = nest(table, scalar_of(table, "second"), true);
	const struct node *c = read_text(table, "{foo: {another: value}}");
	const struct node *result = aggregate(table, c, aggregate(table, a, b, SALT_LEVEL_FALSE),
		(struct salt_level){.count = 2});

	assert_is(table, result, "{foo: {another: value, bar: [first, second]}}\n");
}

static void levelise_uses_up_one_member_a_nesting(void **state)
{
	struct salt_level level = {.count = 1, .flags = "01"};

	(void)state;
	assert_true(salt_levelise(level, &level));
	assert_false(salt_levelise(level, &level));
	assert_true(salt_levelise(level, &level));
	assert_false(salt_levelise(level, &level));
	assert_false(salt_levelise(level, &level));
	assert_true(salt_levelise(SALT_LEVEL_TRUE, &level));
	assert_true(salt_levelise(level, &level));
	assert_false(salt_levelise(SALT_LEVEL_FALSE, &level));
}

static void marking_twice_is_marking_once(void **state)
{
	struct table *table = *state;
	const struct node *map = read_text(table, "{a: 1}"), *list = read_text(table, "[1]");
	const struct node *once, *twice;

	assert_false(salt_is_aggregate(map));
	assert_int_equal(salt_mark(&table->salt, map, &once), 0);
	assert_int_equal(salt_map(&table->salt, once, &twice), 0);
	assert_true(salt_is_aggregate(once));
	assert_ptr_equal(once, twice);
	assert_int_equal(salt_mark(&table->salt, list, &once), 0);
	assert_int_equal(salt_sequence(&table->salt, once, &twice), 0);
	assert_true(salt_is_aggregate(once));
	assert_ptr_equal(once, twice);
	assert_false(salt_is_aggregate(map) || salt_is_aggregate(list));
}

static void mark_makes_a_list_of_null_and_aggregate_makes_none(void **state)
{
	struct table *table = *state;
	const struct node *null = read_text(table, "~"), *value;

	assert_int_equal(salt_mark(&table->salt, null, &value), 0);
	assert_is(table, value, "[~]\n");
	assert_int_equal(salt_nothing(&table->salt, null, &value), 0);
	assert_is(table, value, "[]\n");
}

static void scalar_takes_any_value(void **state)
{
	struct table *table = *state;

	assert_is(table, scalar_of(table, "foo"), "[foo]\n");
	assert_int_equal(scalar_of(table, "{a: [1]}")->seq.count, 1);
}

static void what_is_made_of_a_value_stands_in_its_place(void **state)
{
	struct table *table = *state;
	const struct node *value = scalar_of(table, "\n  foo");

	assert_string_equal(value->source->name, "test");
	assert_int_equal(value->line, 2);
	assert_int_equal(value->column, 3);
}

static void aggregate_leaves_its_arguments_alone(void **state)
{
	struct table *table = *state;
	const struct node *a = scalar_of(table, "1"), *b = scalar_of(table, "2");

	assert_is(table, aggregate(table, a, b, SALT_LEVEL_FALSE), "[1, 2]\n");
	assert_is(table, a, "[1]\n");
	assert_is(table, aggregate(table, a, b, SALT_LEVEL_FALSE), "[1, 2]\n");
}

/* Copying or searching all items for each key would take minutes. */
static void a_key_that_comes_often_takes_linear_time(void **state)
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(without_a_level_only_keys_of_the_later_are_looked_at),
		TEST(an_empty_list_of_levels_is_none),
		TEST(first_level_is_aggregated),
		TEST(a_string_of_levels_is_read_by_character),
		TEST(two_levels_are_aggregated),
		TEST(all_levels_are_aggregated),
		TEST(nested_values_are_replaced_and_scalars_collected),
		TEST(instructions_hold_across_two_aggregations),
		TEST(levelise_uses_up_one_member_a_nesting),
		TEST(marking_twice_is_marking_once),
		TEST(mark_makes_a_list_of_null_and_aggregate_makes_none),
		TEST(scalar_takes_any_value),
		TEST(what_is_made_of_a_value_stands_in_its_place),
		TEST(aggregate_leaves_its_arguments_alone),
		TEST(a_key_that_comes_often_takes_linear_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
