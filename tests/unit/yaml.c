/* YAML in: the nodes, and the messages about what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "reading.h"
#include "repeat.h"
#include "scalar.h"
#include "test.h"

static void assert_yaml(const char *text, const char *expected)
{
	assert_written(&format_yaml, text, &format_yaml, expected);
}

/* Counts warnings in *context. */
static void count_warning(void *context, const struct problem *warning)
{
	unsigned *count = context;

	assert_non_null(strstr(warning->message, "comes again"));
	(*count)++;
}

TEST(nodes_know_their_place_style_and_source)
{
	CLEANUP(document_freep)
	struct document *document = read_yaml("# comment\nä: 'x'\nlist:\n  - [k]\n  - |\n    t\n");
	const struct node *root = document->roots[0];
	const struct node *list = node_get(root, "list");
	const struct node *value = node_get(root, "ä");

	assert_int_equal(root->line, 2);
	assert_int_equal(root->column, 1);
	assert_int_equal(value->line, 2);
	assert_int_equal(value->column, 4);
	assert_int_equal(value->style, NODE_SINGLE);
	assert_string_equal(value->source->name, "app.yaml");
	assert_string_equal(value->source->layer, "site");
	assert_int_equal(value->source->rank, 1);
	assert_int_equal(list->style, NODE_BLOCK);
	assert_int_equal(list->seq.items[0]->style, NODE_FLOW);
	assert_int_equal(list->seq.items[1]->style, NODE_LITERAL);
	assert_int_equal(list->seq.items[1]->line, 5);
}

TEST(a_source_without_a_document_has_no_root)
{
	static const char *const texts[] = {"", "\n", "# only a comment\n", "\xEF\xBB\xBF"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CLEANUP(document_freep) struct document *document = read_yaml(texts[i]);

		assert_int_equal(document->count, 0);
	}
}

TEST(every_document_of_a_stream_is_a_root)
{
	CLEANUP(document_freep) struct document *document = read_yaml("a\n---\nb: 1\n---\n...\n");

	assert_int_equal(document->count, 3);
	assert_string_equal(document->roots[0]->text.data, "a");
	assert_true(node_is_map(document->roots[1]));
	assert_true(scalar_is_empty(document->roots[2]));
}

TEST(a_byte_order_mark_is_skipped)
{
	CLEANUP(document_freep)
	struct document *document = read_yaml("\xEF\xBB\xBF"
					      "a: 1\n");

	assert_int_equal(document->roots[0]->column, 1);
	assert_non_null(node_get(document->roots[0], "a"));
}

TEST(an_alias_is_the_same_node)
{
	CLEANUP(document_freep)
	struct document *document = read_yaml("a: &x {k: v}\nb: *x\nc: &x other\nd: *x\n");
	const struct node *root = document->roots[0];

	assert_ptr_equal(node_get(root, "a"), node_get(root, "b"));
	assert_string_equal(node_get(root, "d")->text.data, "other");
}

TEST(an_alias_must_have_an_anchor_before_it_in_its_document)
{
	assert_string_equal(yaml_problem("a: *x\nb: &x 1\n"),
		"1:4: \"*x\" is an alias, and its anchor does not stand before it; a text that "
		"begins with '*' stands in quotes");
	assert_string_equal(yaml_problem("&x a\n---\n*x\n"),
		"3:1: \"*x\" is an alias, and its anchor does not stand before it; a text that "
		"begins with '*' stands in quotes");
	assert_string_equal(yaml_problem("match: *.yaml\n"),
		"1:8: a value can't begin with '*' but for the name of an anchor, of letters, "
		"digits, '-' and "
		"'_'; a text that begins with '*' stands in quotes");
}

TEST(an_alias_to_what_it_stands_in_is_a_problem)
{
	assert_string_equal(yaml_problem("a: &x\n  b: *x\n"),
		"2:6: \"*x\" is an alias inside the value that it refers to; remove it");
}

TEST(merge_keys_act_as_in_pyyaml)
{
	assert_yaml("b: &b {x: 1, y: 2}\nm:\n  y: 3\n  z: 4\n  <<: *b\n",
		"b: {x: 1, y: 2}\nm:\n  x: 1\n  y: 3\n  z: 4\n");
	assert_yaml(
		"m: {<<: [{x: 1, y: 1}, {y: 2, z: 2}], w: 3}\n", "m: {y: 1, z: 2, x: 1, w: 3}\n");
	assert_yaml("m: {<<: {x: 1}, <<: {x: 2}}\n", "m: {x: 2}\n");
	assert_yaml("m: {'<<': {x: 1}}\n", "m: {'<<': {x: 1}}\n");
	assert_yaml("m: {!!merge any: {x: 1}}\n", "m: {x: 1}\n");
	assert_yaml("m: {<<: {<<: {x: 1}, y: 2}}\n", "m: {x: 1, y: 2}\n");
	assert_yaml("m: {<<: []}\n", "m: {}\n");
}

TEST(only_maps_can_be_merged)
{
	assert_string_equal(yaml_problem("a:\n  <<: text\n"),
		"2:3: the value of '<<' must be a map or a list of maps, and this is a scalar; put "
		"a key '<<' in quotes");
	assert_string_equal(yaml_problem("<<: [{a: 1}, [b]]\n"),
		"1:1: the value of '<<' must be a map or a list of maps, and this is a list; put a "
		"key '<<' in quotes");
}

TEST(of_double_keys_the_later_value_stands_at_the_first_place)
{
	unsigned warnings = 0;
	struct read_options options = {
		.format = &format_yaml, .warn = count_warning, .context = &warnings};
	CLEANUP(document_freep)
	struct document *document =
		read_with(options, span_of("a: 1\nb: 2\na: 3\n0x10: x\n16: y\n"));

	assert_string_equal(write_as(document->roots[0], &format_yaml, document->arena).data,
		"a: 3\nb: 2\n0x10: y\n");
	assert_int_equal(warnings, 2);
}

TEST(what_overrides_a_merge_key_is_no_double_key)
{
	unsigned warnings = 0;
	struct read_options options = {
		.format = &format_yaml, .warn = count_warning, .context = &warnings};

	document_free(read_with(options, span_of("<<: {a: 1}\na: 2\n")));
	assert_int_equal(warnings, 0);
}

TEST(double_keys_stay_when_asked_for)
{
	struct read_options options = {.format = &format_yaml, .keep_duplicates = true};
	CLEANUP(document_freep)
	struct document *document = read_with(options, span_of("a: 1\nb: 2\na: 3\n"));

	assert_int_equal(document->roots[0]->map.count, 3);
	assert_string_equal(node_get(document->roots[0], "a")->text.data, "3");
}

TEST(tags_are_kept_as_they_resolve)
{
	CLEANUP(document_freep)
	struct document *document = read_yaml("%TAG !e! tag:example.org,2000:\n---\n- !e!x a\n- "
					      "!!str b\n- !y c\n- !<z> d\n- e\n");
	const struct node *const *items = document->roots[0]->seq.items;

	assert_string_equal(items[0]->tag, "tag:example.org,2000:x");
	assert_string_equal(items[1]->tag, "tag:yaml.org,2002:str");
	assert_string_equal(items[2]->tag, "!y");
	assert_string_equal(items[3]->tag, "z");
	assert_null(items[4]->tag);
}

TEST(the_schema_is_that_of_the_options)
{
	struct read_options options = {.format = &format_yaml, .schema = NODE_YAML_1_2};
	CLEANUP(document_freep) struct document *document = read_with(options, span_of("yes"));

	assert_int_equal(scalar_type(document->roots[0]), SCALAR_STRING);
}

TEST(text_that_does_not_parse_is_reported_with_its_place)
{
	assert_string_equal(yaml_problem("a: b: c\n"),
		"1:5: a second ': ' stands in one line; put the value in quotes, or begin its map "
		"in the "
		"next line");
	assert_string_equal(yaml_problem("a:\n  - b\n c: d\n"),
		"3:2: the line is aligned with no key; align it with the map that begins in line "
		"1, or with the map or list around it");
	assert_string_equal(yaml_problem("a: [1,\n  2\nb: 3\n"),
		"1:4: the '[' is not closed; write ']' where it ends");
	assert_string_equal(yaml_problem("a:\n\t- b\n"), "2:1: a tab can't indent, use spaces");
}

TEST(other_encodings_are_reported_with_their_place)
{
	assert_string_equal(
		yaml_problem("ä: 1\nä: \xFF\n"), "2:4: is not UTF-8 (byte 0xFF); save it as UTF-8");
	assert_string_equal(yaml_problem("\xFF\xFE"
					 "a"),
		"is UTF-16; save it as UTF-8");
	assert_string_equal(problem_with((struct read_options){.format = &format_yaml},
				    (struct span){"\xFF\xFE\0\0a\0\0", 8}),
		"is UTF-32; save it as UTF-8");
	assert_string_equal(problem_with((struct read_options){.format = &format_yaml},
				    (struct span){"\0\0\xFE\xFF\0\0\0a", 8}),
		"is UTF-32; save it as UTF-8");
	assert_string_equal(yaml_problem("a: \x01\n"),
		"1:4: the character U+0001 is not allowed; write it as an escape in double quotes");
}

static const char *limited(struct limits limits, const char *text)
{
	struct limits all = LIMITS_DEFAULT;

	if (limits.source_bytes)
		all.source_bytes = limits.source_bytes;
	if (limits.depth)
		all.depth = limits.depth;
	if (limits.nodes)
		all.nodes = limits.nodes;
	return problem_with(
		(struct read_options){.format = &format_yaml, .limits = all}, span_of(text));
}

TEST(each_limit_has_its_own_problem)
{
	assert_string_equal(limited((struct limits){.source_bytes = 5}, "a: bcd"),
		"is larger than 5 bytes; raise the limit 'source'");
	assert_string_equal(limited((struct limits){.depth = 2}, "a:\n- [b]\n"),
		"2:3: more than 2 maps and lists in each other; raise the limit 'depth'");
	assert_string_equal(limited((struct limits){.nodes = 3}, "[a, b,\n c]"),
		"2:2: has more than 3 values, each alias counted as often as it is used"
		"; raise the limit 'nodes'");
	assert_non_null(strstr(limited((struct limits){.nodes = 10},
				       "a: &a [1, 2]\nb: &b [*a, *a]\nc: [*b, *b]\n"),
		"raise the limit 'nodes'"));
	assert_non_null(strstr(limited((struct limits){.nodes = 20},
				       "a: &a {b: 1, c: 2, d: 3}\ne: {<<: [*a, *a]}\n"),
		"raise the limit 'nodes'"));
}

TEST(what_just_keeps_the_limits_is_read)
{
	struct read_options options = {.format = &format_yaml,
		.limits = {.source_bytes = 6, .result_bytes = 1, .depth = 2, .nodes = 4}};

	document_free(read_with(options, span_of("[[a]]")));
	document_free(read_with(options, span_of("[a, b]")));
	document_free(read_with(options, span_of("a: []")));
}

TEST(a_laughing_billion_is_refused)
{
	char text[4000] = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";

	for (int i = 1; i < 30; i++)
		sprintf(text + strlen(text), "a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1,
			i - 1, i - 1, i - 1);
	assert_non_null(strstr(yaml_problem(text), "raise the limit 'nodes'"));
}

TEST(no_limit_allows_trees_that_overflow_a_stack)
{
	CLEANUP(freep) char *most = repeat("", LIMIT_DEPTH_MAX, "[", "");
	CLEANUP(freep) char *more = repeat(most, 1, "[", "");
	const struct limits wide = {.depth = 100 * LIMIT_DEPTH_MAX};

	assert_null(strstr(limited(wide, most), "raise the limit"));
	assert_string_equal(limited(wide, more),
		"1:1001: more than 1000 maps and lists in each other; raise the limit 'depth'");
}

TEST(depth_without_end_is_refused)
{
	static const char *const starts[] = {"[", "{a: ", "- ", "? ", "{? "};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		CLEANUP(freep) char *text = repeat("", 100000, starts[i], "");

		yaml_problem(text);
	}
}

TEST(tag_directives_are_bounded)
{
	CLEANUP(freep) char *many = repeat("", 100, "%TAG !t@! x\n", "---\na\n");
	CLEANUP(freep) char *large = repeat("%TAG !t! ", 600, "x", "\n---\na\n");

	assert_string_equal(
		yaml_problem(many), "65:1: more than 64 %TAG directives; write the tags out");
	assert_string_equal(
		yaml_problem(large), "1:1: a %TAG directive is longer than 512 bytes; shorten it");
}

TEST(many_anchors_and_documents_cost_no_time)
{
	CLEANUP(freep) char *anchors = repeat("", 60000, "- &a@ x\n", "");
	CLEANUP(freep) char *text = repeat(anchors, 60000, "--- &a x\n", "");
	clock_t start = clock();

	document_free(read_yaml(text));
	assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
}
