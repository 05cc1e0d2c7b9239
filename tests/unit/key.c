/*
 * KEYs: read, found in a tree, and printed so that they are found again.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "document.h"
#include "key.h"
#include "test.h"

static struct document *document;
static struct arena *arena;

static int begin(void **state)
{
	(void)state;
	return arena_new(&arena);
}

static int end(void **state)
{
	(void)state;
	document_free(document);
	document = NULL;
	arena_free(arena);
	return 0;
}

static const struct node *read_as(const char *text, const struct format *format)
{
	const struct source source = {.name = "test", .layer = ""};
	const struct read_options options = {.format = format};
	struct problem problem;

	document_free(document);
	document = NULL;
	assert_int_equal(document_read(&source, span_of(text), &options, &document, &problem), 0);
	return document->roots[0];
}

static const struct node *find(const char *text, const struct node *root)
{
	struct problem problem;
	struct key key;

	assert_int_equal(key_parse(text, arena, &key, &problem), 0);
	return key_follow(&key, 0, root);
}

/* The scalar at `text`; "-" for none, "+" for a map or list. */
static const char *found(const char *text, const struct node *root)
{
	const struct node *node = find(text, root);

	return !node ? "-" : node_is_scalar(node) ? node->text.data : "+";
}

TEST_WITH(names_dots_and_brackets_lead_down, begin, end)
{
	const struct node *root =
		read_as("server: {hosts: [a, {b: 1}], odd key: 2, a.b: 3, '': 4, 'x]y': 5}\n",
			&format_yaml);

	assert_ptr_equal(find(".", root), root);
	assert_string_equal(found("server", root), "+");
	assert_string_equal(found("server.hosts[0]", root), "a");
	assert_string_equal(found("server.hosts.0", root), "a");
	assert_string_equal(found("server.hosts[1].b", root), "1");
	assert_string_equal(found("server[hosts][1][b]", root), "1");
	assert_string_equal(found("[\"server\"][\"odd key\"]", root), "2");
	assert_string_equal(found("server.odd key", root), "2");
	assert_string_equal(found("server.\"a.b\"", root), "3");
	assert_string_equal(found("server.'a.b'", root), "3");
	assert_string_equal(found("server[a.b]", root), "3");
	assert_string_equal(found("server.\"\"", root), "4");
	assert_string_equal(found("server['x]y']", root), "5");
	assert_string_equal(found(".server.hosts[0]", root), "a");
	assert_string_equal(found(".\"server\"[hosts][0]", root), "a");
	assert_string_equal(found(".[server].\"a.b\"", root), "3");
	assert_string_equal(found("server.a.b", root), "-");
	assert_string_equal(found("server.hosts[2]", root), "-");
	assert_string_equal(found("server.hosts[-1]", root), "-");
	assert_string_equal(found("server.hosts[99999999999999999999]", root), "-");
	assert_string_equal(found("server.hosts[\"0\"]", root), "-");
	assert_string_equal(found("server.hosts[0].x", root), "-");
}

TEST_WITH(item_is_found_by_a_key_of_its_own, begin, end)
{
	const struct node *root = read_as(
		"- {name: web, port: 1}\n- text\n- {name: 'a]b', port: 2}\n- {n=m: x, port: 3}\n",
		&format_yaml);

	assert_string_equal(found("[name=web].port", root), "1");
	assert_string_equal(found("[name='a]b'].port", root), "2");
	assert_string_equal(found("['n=m'=x].port", root), "3");
	assert_string_equal(found("[name=db]", root), "-");
	assert_string_equal(found("[0][name=web]", root), "-");
}

TEST_WITH(quotes_tell_a_text_from_a_number, begin, end)
{
	const struct node *root = read_as("'80': text\n80: number\nyes: 1\n", &format_yaml);

	assert_string_equal(found("80", root), "number");
	assert_string_equal(found("\"80\"", root), "text");
	assert_string_equal(found("'yes'", root), "1");
}

TEST_WITH(escapes_are_those_of_json, begin, end)
{
	const struct node *root = read_as("\"a\\n\\\"\\\\\\u00e9\\U0001F600\": 1\n", &format_yaml);

	assert_string_equal(found("\"a\\n\\\"\\\\\\u00e9\\U0001F600\"", root), "1");
	assert_string_equal(found("\"a\\x0a\\\"\\\\é😀\"", root), "1");
	assert_string_equal(found("'a\n\"\\é😀'", root), "1");
}

TEST_WITH(key_that_can_not_be_read_is_reported_with_its_column, begin, end)
{
	static const struct {
		const char *text;
		unsigned column;
	} bad[] = {
		{"", 1},
		{"a.", 3},
		{"a..b", 3},
		{"..a", 2},
		{".a.", 4},
		{"a[", 2},
		{"a[]", 3},
		{"a[0", 2},
		{"a[x=]", 5},
		{"\"a", 1},
		{"'a", 1},
		{"\"\\q\"", 2},
		{"\"\\u12\"", 2},
		{"\"\\ud800\"", 2},
		{"\"\\UFFFFFFFF\"", 2},
		{"\"a\"b", 4},
		{"[a]b", 4},
		{"a[b]c.d", 5},
		{"\"\\", 2},
		{"[\"a\"b]", 1},
		{"ä..b", 3},
		{"\"é😀\"b", 5},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct problem problem = {0};
		struct key key;

		assert_int_equal(key_parse(bad[i].text, arena, &key, &problem), PROBLEM);
		if (problem.column != bad[i].column)
			fail_msg("'%s': column %u, not %u", bad[i].text, problem.column,
				bad[i].column);
		char end[32];
		snprintf(end, sizeof(end), "(at character %u)", bad[i].column);
		assert_non_null(strstr(problem.message, end));
	}
}

TEST_WITH(too_many_parts_are_refused, begin, end)
{
	char text[2 * KEY_PARTS_MAX + 4];
	struct problem problem;
	struct key key;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 2 ? '.' : 'a';
	text[2 * KEY_PARTS_MAX - 1] = '\0';
	assert_int_equal(key_parse(text, arena, &key, &problem), 0);
	assert_int_equal(key.count, KEY_PARTS_MAX);
	text[2 * KEY_PARTS_MAX - 1] = '.';
	text[2 * KEY_PARTS_MAX + 1] = '\0';
	assert_int_equal(key_parse(text, arena, &key, &problem), PROBLEM);
}

/* Prints the KEY of every value below `node`, and checks that it leads back. */
static void check_all(struct key_text *text, const struct node *node, const struct node *root)
{
	size_t len = text->len;

	if (len > 0)
		assert_ptr_equal(find(key_text_span(text).data, root), node);
	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++) {
		key_text_put_index(text, i);
		check_all(text, node->seq.items[i], root);
		key_text_cut(text, len);
	}
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++) {
		key_text_put(text, node->map.pairs[i].key);
		check_all(text, node->map.pairs[i].value, root);
		key_text_cut(text, len);
	}
}

TEST_WITH(printed_keys_lead_back, begin, end)
{
	CLEANUP(key_text_fini) struct key_text text = {0};
	const struct node *root =
		read_as("plain: [a, [b, {c: 1}]]\n'80': 1\n80: 2\n'': 3\na.b: 4\n'a[0]': {x=y: 1}\n"
			"'quo\"te''s': 5\n\"ctl\\e\\n\\u202e\\x85\": 6\n'größe 1': {\"\\\\\": "
			"7}\n'yes': 8\n~: 9\n"
			"'.': 10\n\"\\U000E0001\": 11\n",
			&format_yaml);

	check_all(&text, root, root);
	root = read_as("{!t a: 1, a: 2, !u a: 3, !t b: 1, 'b': 2}\n", &format_yaml);
	assert_string_equal(found("a", root), "2");
	assert_string_equal(found("b", root), "2");
	root = read_as("{\"80\": {\"true\": [1]}, \"a\\u0000b\": 1}", &format_json);
	check_all(&text, root->map.pairs[0].value, root->map.pairs[0].value);
}

static void assert_printed(const char *yaml, const char *expected)
{
	CLEANUP(key_text_fini) struct key_text text = {0};
	const struct node *root = read_as(yaml, &format_yaml);

	key_text_put(&text, root->map.pairs[0].key);
	key_text_put_index(&text, 12);
	key_text_put(&text, root->map.pairs[0].key);
	struct span printed = key_text_span(&text);
	assert_string_equal(printed.data, expected);
}

TEST_WITH(keys_are_quoted_only_where_they_must, begin, end)
{
	assert_printed("a-b_c/d: 1\n", "a-b_c/d[12].a-b_c/d");
	assert_printed("größe: 1\n", "größe[12].größe");
	assert_printed("a.b: 1\n", "\"a.b\"[12].\"a.b\"");
	assert_printed("'1': 1\n", "\"1\"[12].\"1\"");
	assert_printed("'word': 1\n", "word[12].word");
	assert_printed("\"\\e\": 1\n", "\"\\u001b\"[12].\"\\u001b\"");
	assert_printed("\"\\u202e\": 1\n", "\"\\u202e\"[12].\"\\u202e\"");
	assert_printed("? {a: b}\n: 1\n", "[?][12][?]");
}

TEST_WITH(item_that_is_gone_is_named_by_what_it_was_matched_by, begin, end)
{
	CLEANUP(key_text_fini) struct key_text text = {0};
	const struct node *root = read_as("- {port: 1, name: web}\n", &format_yaml);
	const struct node *item = root->seq.items[0];
	const struct key_part by_value = {.name = span_of("name"), .value = span_of("web")};
	const struct key_part by_other = {.name = span_of("name"), .value = span_of("db")};
	const struct key_part by_key = {.name = span_of("web")};

	key_text_put_item(&text, node_get(item, "name"), item);
	struct span printed = key_text_span(&text);
	assert_string_equal(printed.data, "[name=web]");
	assert_true(key_names(&by_value, node_get(item, "name"), item, true));
	assert_true(key_names(&by_key, node_get(item, "name"), item, true));
	assert_false(key_names(&by_other, node_get(item, "name"), item, true));
	assert_false(key_names(&by_value, node_get(item, "name"), item, false));
}
