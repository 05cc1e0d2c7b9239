/* YAML out: every scalar keeps its style and text if it may, and its value always. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "reading.h"
#include "repeat.h"
#include "scalar.h"
#include "test.h"

static void assert_yaml(const char *text, const char *expected)
{
	assert_written(&format_yaml, text, &format_yaml, expected);
}

static void assert_stays(const char *text)
{
	assert_yaml(text, text);
}

TEST(scalars_keep_their_text_and_style)
{
	assert_stays("a: 0644\nb: 1_000\nc: no\nd: 2026-01-01\ne: 1.10\nf: ~\n");
	assert_stays("a: 'x'\nb: \"x\"\nc: 'it''s'\nd: \"\\t\\e \\\"\\\\ é\"\n");
	assert_stays("a: |\n  text\n    more\n\n  end\nb: |-\n  x\nc: |+\n  x\n\nd: y\n");
	assert_stays("a: |2\n   x\nb: |2+\n\n\nc: |2-\n\n  x\n");
	assert_stays("a: >\n  one\n\n  two\n\n\n  three\nb: >-\n  x\nc: >+\n  x\n\nd: y\n");
}

TEST(colons_inside_brackets_need_no_quotes)
{
	assert_stays("a: [80:80, http://x/y, 2001-12-14 21:59:43, 1:30]\n");
}

TEST(collections_keep_their_style)
{
	assert_stays("a:\n- b\n- - c\n  - d\n- e: f\n  g:\n  - h\n- [i, {j: k}]\nl: {m: [n]}\n");
	assert_stays("a: []\nb: {}\nc:\n- []\n- {}\n");
	assert_stays("- a\n- b\n");
	assert_stays("[a, b]\n");
}

TEST(long_flow_collections_are_not_broken)
{
	CLEANUP(freep) char *text = repeat("a: [", 400, "word @, ", "end]\n");

	assert_stays(text);
}

TEST(an_empty_value_stays_empty_where_it_can)
{
	assert_stays("a:\nb:\n-\n- x\n");
	assert_yaml("{a: , b: [c: ]}", "{a: , b: [{c: }]}\n");
	assert_stays("{? [a] : , b: null, c: ~, d: !x \"\"}\n");
	assert_yaml("[&a , *a]", "[null, null]\n");
	assert_yaml("? \n: x\n", "null: x\n");
	assert_yaml("---\n", "null\n");
}

TEST(tags_are_written)
{
	assert_stays("a: !x b\nc: !!str 12\nd: !y\n  e: f\ng: !z\n- h\ni: !<tag:x,1:y> j\n"
		     "k: !w\nl: [!w \"\", !v {m: n}]\n!u o: p\n");
	assert_stays("- !x\n  a: b\n- !y\n  - c\n- !z [d]\n");
	assert_stays("!x\na: b\n");
	assert_stays("!x\n- a\n");
	assert_stays("!x\n");
	assert_stays("!x |\n  a\n");
	assert_yaml("!a%21b%2C c", "!a%21b%2C c\n");
}

TEST(keys_may_be_anything)
{
	char text[2000];

	assert_stays("? [a, b]\n: c\n? - d\n: - e\n? f: g\n: h: i\n? {}\n: j\n\"\": k\n");
	assert_stays("{? [a] : b, \"c\\n\": d, ? {} : e}\n");
	assert_yaml("? |\n  a\n: b\n", "\"a\\n\": b\n");

	snprintf(text, sizeof(text), "? '%01200d'\n: x\n", 0);
	assert_stays(text);
	snprintf(text, sizeof(text), "%0900d: x\n", 0);
	assert_stays(text);
}

TEST(a_quoted_merge_key_stays_a_key)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct node *map, *key;

	assert_stays("'<<': x\n");
	assert_int_equal(arena_new(&arena), 0);
	map = node_new_map(arena, NULL);
	key = node_new_scalar(arena, span_of("<<"), NODE_PLAIN);
	assert_int_equal(node_put(arena, map, key, key), 0);
	assert_string_equal(write_as(map, &format_yaml, arena).data, "'<<': <<\n");
}

TEST(flow_style_ends_where_a_merge_put_lines)
{
	CLEANUP(document_freep)
	struct document *document = read_yaml("a: {}\nb:\n  c: d\ne: [x]\nf: |\n  text\n");
	const struct node *root = document->roots[0];
	struct node *flow = node_copy(document->arena, node_get(root, "a"));
	struct node *other = node_copy(document->arena, flow);

	node_put(document->arena, flow, root->map.pairs[1].key, node_get(root, "b"));
	node_put(document->arena, flow, root->map.pairs[2].key, node_get(root, "e"));
	assert_string_equal(
		write_as(flow, &format_yaml, document->arena).data, "b:\n  c: d\ne: [x]\n");
	node_put(document->arena, other, root->map.pairs[2].key, node_get(root, "e"));
	assert_string_equal(write_as(other, &format_yaml, document->arena).data, "{e: [x]}\n");
	node_put(document->arena, other, root->map.pairs[3].key, node_get(root, "f"));
	assert_string_equal(
		write_as(other, &format_yaml, document->arena).data, "e: [x]\nf: |\n  text\n");
}

TEST(text_that_is_not_utf8_is_a_problem)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct limits limits = {0};
	struct problem problem;
	struct node *node;
	struct span text;

	assert_int_equal(arena_new(&arena), 0);
	node = node_new_scalar(arena, span_of("\xC3"), NODE_DOUBLE);
	assert_int_equal(
		document_write(node, &format_yaml, &limits, arena, &text, &problem), PROBLEM);
	assert_int_equal(
		document_write(node, &format_json, &limits, arena, &text, &problem), PROBLEM);
}

static const char *limited(const struct format *format, struct limits limits, const char *yaml)
{
	static char message[PROBLEM_MESSAGE_MAX];
	CLEANUP(document_freep) struct document *document = read_yaml(yaml);
	struct problem problem;
	struct span text;

	assert_int_equal(document_write(document->roots[0], format, &limits, document->arena, &text,
				 &problem),
		PROBLEM);
	memcpy(message, problem.message, sizeof(message));
	return message;
}

TEST(each_limit_has_its_own_problem)
{
	for (const struct format *const *at = format_all(); *at; at++) {
		const struct format *format = *at;
		struct limits limits = {.result_bytes = 5, .depth = 2, .nodes = 4};

		if (!format_has_lists(format))
			continue;
		assert_string_equal(limited(format, limits, "a: abcdef"),
			"the result is larger than 5 bytes; raise the limit 'result'");
		assert_string_equal(limited(format, limits, "a: [[]]"),
			"the result has more than 2 maps and lists in each other; raise the limit "
			"'depth'");
		assert_string_equal(limited(format, limits, "{a: b, c: d}"),
			"the result has more than 4 values; raise the limit 'nodes'");
		/* A file in TOML is a table. */
		if (format == &format_toml)
			continue;
		assert_string_equal(limited(format, limits, "abcdef"),
			"the result is larger than 5 bytes; raise the limit 'result'");
		assert_string_equal(limited(format, limits, "[[[]]]"),
			"the result has more than 2 maps and lists in each other; raise the limit "
			"'depth'");
		assert_string_equal(limited(format, limits, "- [[]]\n- - - []\n"),
			"the result has more than 4 values; raise the limit 'nodes'");
	}
}

TEST(what_just_keeps_the_limits_is_written_as_it_was)
{
	CLEANUP(document_freep) struct document *document = read_yaml("[[a]]");
	struct limits limits = {.result_bytes = 6, .depth = 2, .nodes = 3};
	struct problem problem;
	struct span text;

	assert_int_equal(document_write(document->roots[0], &format_yaml, &limits, document->arena,
				 &text, &problem),
		0);
	assert_string_equal(text.data, "[[a]]\n");
}

TEST(nothing_is_written_as_nothing)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;

	assert_int_equal(arena_new(&arena), 0);
	assert_string_equal(write_as(NULL, &format_yaml, arena).data, "");
}
