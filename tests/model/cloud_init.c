/*
 * cloud-init against a second implementation; then laws that hold whatever the mergers are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "cloud_init_model.h"
#include "merge.h"
#include "random_tree.h"
#include "scalar.h"
#include "strategy.h"

#define PARTS_MAX 4
#define ROUNDS 4000

static const char *const keys[] = {"a", "b", "c", "d", NULL};
static const char *const scalars[] = {
	"one", "two", "\"3", "\"", "4", "yes", "~", "", "1.5", "2026-01-01", NULL};

static const struct random_tree_shape shape = {.depth = 4,
	.width = 4,
	.keys = keys,
	.scalars = scalars,
	.list_percent = 50,
	.scalar_percent = 30};

/* The options of one merger, in the order of their bits. */
static const char *const names[] = {"append", "prepend", "replace", "no_replace", "allow_delete",
	"recurse_dict", "recurse_list", "recurse_str"};

static void *check(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static size_t put_merger(char *text, size_t at, const char *name, unsigned options, bool is_list)
{
	at += (size_t)sprintf(text + at, is_list ? "- {name: %s, settings: [" : "%s(", name);
	for (size_t i = 0, shown = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_set(options, (int)i))
			at += (size_t)sprintf(text + at, "%s%s", shown++ > 0 ? ", " : "", names[i]);
	return at + (size_t)sprintf(text + at, is_list ? "]}\n" : ")+");
}

/* Writes the part's text: its tree and its mergers, in one of the two forms. */
static char *text_of(struct arena *arena, const struct part *part, bool is_list)
{
	const struct limits limits = LIMITS_DEFAULT;
	char how[1024] = "";
	size_t at = 0;
	struct problem problem;
	struct span tree;

	if (part->has_mergers) {
		at += (size_t)sprintf(how, is_list ? "merge_how:\n" : "merge_how: \"");
		if (part->mergers.has_str)
			at = put_merger(how, at, "str", part->mergers.str, is_list);
		if (part->mergers.has_dict)
			at = put_merger(how, at, "dict", part->mergers.dict, is_list);
		if (part->mergers.has_list)
			at = put_merger(how, at, "list", part->mergers.list, is_list);
		if (!is_list)
			sprintf(how + at, "\"\n");
	}
	assert_int_equal(
		document_write(part->tree, &format_yaml, &limits, arena, &tree, &problem), 0);
	if (part->tree->map.count == 0)
		tree = span_of("{}\n");
	/* An empty map is written in flow style, behind which no other key can stand. */
	if (part->tree->map.count == 0 && part->has_mergers)
		tree = span_of("");
	return check(arena_printf(arena, "#cloud-config\n%s%s", tree.data, how));
}

static struct part random_part(struct arena *arena, struct random *random)
{
	struct part part = {.has_mergers = random_chance(random, 80)};
	const struct node *tree;

	do {
		tree = check((void *)random_tree(arena, random, &shape));
	} while (!node_is_map(tree));
	struct node *block = check(node_copy(arena, tree));
	block->style = NODE_BLOCK;
	part.tree = block;
	part.mergers = (struct mergers){
		.has_dict = random_chance(random, 95),
		.has_list = random_chance(random, 85),
		.has_str = random_chance(random, 80),
		.dict = random_below(random, 256),
		.list = random_below(random, 256),
		.str = random_below(random, 256),
	};
	/* `replace` leaves nothing to recurse into. */
	if (random_chance(random, 60))
		part.mergers.dict &= ~(1u << REPLACE);
	if (random_chance(random, 60))
		part.mergers.list &= ~(1u << APPEND | 1u << PREPEND);
	if (!part.mergers.has_dict && !part.mergers.has_list && !part.mergers.has_str)
		part.has_mergers = false;
	part.text = text_of(arena, &part, random_chance(random, 30));
	return part;
}

/* Merges the parts' texts. Returns 0 with *ret for merge_result_free(), or PROBLEM. */
static int merge_texts(char *const *texts, size_t count, bool is_stack, struct merge_result **ret)
{
	struct merge_input inputs[PARTS_MAX] = {0};
	const struct source source = {.name = "rule", .layer = ""};
	const struct read_options read = {.format = &format_yaml};
	CLEANUP(document_freep) struct document *rule = NULL;
	struct problem problem = {0};
	struct options options = {.strategy = strategy_find(span_of("cloud-init"))};

	for (size_t i = 0; i < count; i++) {
		inputs[i].source =
			(struct source){.name = "part", .layer = "", .rank = (unsigned)i};
		inputs[i].text = span_of(texts[i]);
		inputs[i].format = &format_yaml;
	}
	if (is_stack) {
		assert_int_equal(
			document_read(&source, span_of("mergers: stack"), &read, &rule, &problem),
			0);
		options.map = rule->roots[0];
	}
	const struct merge_request request = {
		.options = &options, .inputs = inputs, .count = count, .to = &format_yaml};
	int r = merge_run(&request, ret, &problem);
	assert_in_range(r, 0, PROBLEM);
	return r;
}

static bool is_same_value(const struct node *a, const struct node *b)
{
	return !node_is_scalar(a) ||
	       (scalar_type(a) == scalar_type(b) && (scalar_is_null(a) || scalar_equal(a, b)));
}

static void fail_with(const struct part *parts, size_t count, const char *got)
{
	for (size_t i = 0; i < count; i++)
		print_error("--- part %zu\n%s", i, parts[i].text);
	fail_msg("not as the rules say: %s", got);
}

static void random_parts_merge_as_the_rules_say(void **state)
{
	unsigned failed = 0;

	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		CLEANUP(merge_result_freep) struct merge_result *result = NULL;
		CLEANUP(arena_freep) struct arena *arena = NULL;
		struct random random = {.state = round};
		struct part parts[PARTS_MAX];
		char *texts[PARTS_MAX];
		size_t count = 1 + random_below(&random, PARTS_MAX);
		bool is_stack = random_chance(&random, 20);

		assert_int_equal(arena_new(&arena), 0);
		for (size_t i = 0; i < count; i++) {
			parts[i] = random_part(arena, &random);
			texts[i] = parts[i].text;
		}
		const struct node *expected = cloud_init_model_merge(arena, parts, count, is_stack);
		int r = merge_texts(texts, count, is_stack, &result);
		if (!expected != (r == PROBLEM))
			fail_with(parts, count, r == PROBLEM ? "(a problem)" : result->text.data);
		if (expected && !random_tree_is_same(result->root, expected, is_same_value))
			fail_with(parts, count, result->text.data);
		failed += !expected;
	}
	/* If nearly all merges fail, little was compared. */
	assert_true(failed < ROUNDS / 2);
}

static struct span merged(char *const *texts, size_t count, struct merge_result **ret)
{
	assert_int_equal(merge_texts(texts, count, false, ret), 0);
	return (*ret)->text;
}

static const char *const hows[] = {"dict(replace)+list()+str()", "dict()+list()+str()",
	"dict(recurse_list,recurse_str)+list(recurse_list,recurse_dict,recurse_str)+str()",
	"dict(allow_delete,recurse_list)+list(append)", "list(append)"};

static void an_empty_part_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < ROUNDS / 4; round++) {
		CLEANUP(merge_result_freep) struct merge_result *alone = NULL, *with = NULL;
		CLEANUP(arena_freep) struct arena *arena = NULL;
		struct random random = {.state = round};

		assert_int_equal(arena_new(&arena), 0);
		struct part part = random_part(arena, &random);
		part.has_mergers = false;
		char *empty = check(arena_printf(arena, "merge_how: %s\n", hows[round % 5]));
		char *texts[] = {empty, text_of(arena, &part, false), empty};
		struct span one = merged(texts + 1, 1, &alone), three = merged(texts, 3, &with);
		assert_string_equal(one.data, three.data);
	}
}

/* Nothing is appended, and null is no deletion. */
static void a_part_merged_with_itself_is_itself(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < ROUNDS / 4; round++) {
		CLEANUP(merge_result_freep) struct merge_result *alone = NULL, *twice = NULL;
		CLEANUP(arena_freep) struct arena *arena = NULL;
		struct random random = {.state = round};

		assert_int_equal(arena_new(&arena), 0);
		struct part part = random_part(arena, &random);
		part.has_mergers = false;
		char *plain = text_of(arena, &part, false);
		if (part.tree->map.count == 0)
			continue;
		char *texts[] = {plain,
			check(arena_printf(arena, "%smerge_how: %s\n", plain, hows[round % 3]))};
		struct span one = merged(texts, 1, &alone), two = merged(texts, 2, &twice);
		assert_string_equal(one.data, two.data);
	}
}

static void old_keys_come_first_in_their_order(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < ROUNDS / 4; round++) {
		CLEANUP(merge_result_freep) struct merge_result *result = NULL;
		CLEANUP(arena_freep) struct arena *arena = NULL;
		struct random random = {.state = round};
		struct part parts[2];

		assert_int_equal(arena_new(&arena), 0);
		for (size_t i = 0; i < 2; i++) {
			parts[i] = random_part(arena, &random);
			parts[i].has_mergers = false;
			parts[i].text = text_of(arena, &parts[i], false);
		}
		char *texts[] = {parts[0].text, parts[1].text};
		merged(texts, 2, &result);
		const struct node *old = parts[0].tree;
		for (uint32_t i = 0; i < old->map.count; i++)
			assert_true(
				node_equal(result->root->map.pairs[i].key, old->map.pairs[i].key));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_parts_merge_as_the_rules_say),
		cmocka_unit_test(an_empty_part_changes_nothing),
		cmocka_unit_test(a_part_merged_with_itself_is_itself),
		cmocka_unit_test(old_keys_come_first_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
