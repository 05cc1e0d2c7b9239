/* JSON in and out: exactly RFC 8259. */
#include <stdlib.h>
#include <time.h>

#include "reading.h"
#include "repeat.h"
#include "scalar.h"
#include "test.h"

static void assert_json(const char *text, const char *expected)
{
	assert_written(&format_json, text, &format_json, expected);
}

static const char *write_problem(const char *yaml)
{
	return problem_of_writing(yaml, &format_json);
}

TEST(every_kind_of_value_is_read_and_written)
{
	assert_json("{\"a\":[1,-2.50E+1,true,false,null,\"x\"],\"b\":{},\"c\":[ ]}",
		"{\n  \"a\": [\n    1,\n    -2.50E+1,\n    true,\n    false,\n    null,\n"
		"    \"x\"\n  ],\n  \"b\": {},\n  \"c\": []\n}\n");
	assert_json(" \"x\" ", "\"x\"\n");
	assert_json("\xEF\xBB\xBF"
		    "1",
		"1\n");
}

TEST(an_empty_source_has_no_root)
{
	CLEANUP(document_freep) struct document *document = read_json(" \n");

	assert_int_equal(document->count, 0);
}

TEST(escapes_are_understood)
{
	CLEANUP(document_freep)
	struct document *document =
		read_json("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\\u0000.\"");

	assert_int_equal(document->roots[0]->text.len, 16);
	assert_memory_equal(document->roots[0]->text.data, "\"\\/\b\f\n\r\té😀\0.", 17);
}

TEST(control_characters_are_escaped)
{
	assert_json("\"\\u0001\\u001f\\b\\f\\n\\r\\t\\u007f \\\"\\\\/ é😀\\u2028\"",
		"\"\\u0001\\u001f\\b\\f\\n\\r\\t\\u007f \\\"\\\\/ é😀\u2028\"\n");
}

TEST(nodes_know_their_place_and_type)
{
	CLEANUP(document_freep)
	struct document *document = read_json("{\"ä\": 1,\n \"b\": [\"ü\", 1e5]}");
	const struct node *list = node_get(document->roots[0], "b");

	assert_int_equal(node_get(document->roots[0], "ä")->column, 7);
	assert_int_equal(list->line, 2);
	assert_int_equal(list->column, 7);
	assert_int_equal(list->seq.items[1]->column, 13);
	assert_int_equal(list->seq.items[0]->style, NODE_DOUBLE);
	assert_int_equal(list->seq.items[1]->style, NODE_PLAIN);
	assert_int_equal(list->seq.items[1]->schema, NODE_JSON);
	assert_int_equal(scalar_type(list->seq.items[1]), SCALAR_FLOAT);
}

TEST(text_that_is_no_json_is_reported_with_its_place)
{
	static const struct {
		const char *text;
		const char *problem;
	} cases[] = {
		{"{\"a\": 1,}", "1:9: a key is missing; a comma may stand only between two pairs"},
		{"[1,]", "1:4: a value is missing; a comma may stand only between two values"},
		{"[,1]", "1:2: a value is missing"},
		{"[1 2]", "1:4: a \",\" or \"]\" is missing here"},
		{"{\"a\" 1}", "1:6: a \":\" is missing behind the key"},
		{"{\"a\": 1 \"b\"}", "1:9: a \",\" or \"}\" is missing here"},
		{"{a: 1}", "1:2: a key is missing; it must be a string in double quotes"},
		{"['a']", "1:2: JSON has double quotes only; put them around the value"},
		{"// c\n1", "1:1: JSON has no comments; a file named *.jsonc may have them, or one "
			    "with 'format: jsonc' in its rule"},
		{"{\n// c\n\"a\": 1}", "2:1: JSON has no comments; a file named *.jsonc may have "
				       "them, or one with 'format: jsonc' in its rule"},
		{"{\"a\" /* c */: 1}", "1:6: JSON has no comments; a file named *.jsonc may have "
				       "them, or one with 'format: jsonc' in its rule"},
		{"[1 # c\n]", "1:4: JSON has no comments; a file named *.jsonc may have them, or "
			      "one with 'format: jsonc' in its rule"},
		{"[1] // c", "1:5: JSON has no comments; a file named *.jsonc may have them, or "
			     "one with 'format: jsonc' in its rule"},
		{"1\n2", "2:1: something follows the end; a JSON file holds one value"},
		{"[NaN]", "1:2: \"NaN\" is not a value in JSON; put a string in double quotes"},
		{"[01]", "1:2: \"01\" is not a number in JSON; write it in decimal, or put a "
			 "string in double quotes"},
		{"[+1]", "1:2: \"+1\" is not a number in JSON; write it in decimal, or put a "
			 "string in double quotes"},
		{"[1.]", "1:2: \"1.\" is not a number in JSON; write it in decimal, or put a "
			 "string in double quotes"},
		{"[.5]", "1:2: \".5\" is not a number in JSON; write it in decimal, or put a "
			 "string in double quotes"},
		{"[1e]", "1:2: \"1e\" is not a number in JSON; write it in decimal, or put a "
			 "string in double quotes"},
		{"[True]", "1:2: \"True\" is not a value in JSON; write true, or put a string in "
			   "double quotes"},
		{"[\n[1", "2:3: the file ends inside an array that begins on line 2; a closing "
			  "\"]\" is missing"},
		{"{\"a\":", "1:6: the file ends inside an object that begins on line 1; a closing "
			    "\"}\" is missing"},
		{"[1}", "1:3: a \",\" or \"]\" is missing here"},
		{"\"a", "1:1: the string does not end; a closing \" is missing"},
		{"\"a\\", "1:3: the string does not end; a closing \" is missing"},
		{"\"a\\\"", "1:1: the string does not end; a closing \" is missing"},
		{"\"a\nb\"", "1:3: a string must end on its line; write \\n for a newline"},
		{"\"a\tb\"", "1:3: a control character in a string must be written \\u00XX"},
		{"\"\\x\"", "1:2: JSON has no such escape; a backslash is written \\\\"},
		{"\"\\u12g4\"", "1:4: \\u needs four hexadecimal digits"},
		{"\"\\ud800\"", "1:8: the first half of a surrogate pair stands alone; write both"},
		{"\"\\ud800\\u0041\"",
			"1:14: the first half of a surrogate pair stands alone; write both"},
		{"\"\\udc00\"",
			"1:8: the second half of a surrogate pair stands alone; write both"},
		{"\"\xC0\x80\"", "1:2: is not UTF-8; save it as UTF-8"},
		{"\"\xED\xA0\x80\"", "1:2: is not UTF-8; save it as UTF-8"},
		{"[\xFF]", "1:2: is not UTF-8; save it as UTF-8"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(json_problem(cases[i].text), cases[i].problem);
}

TEST(of_double_keys_the_later_value_stands_at_the_first_place)
{
	assert_json("{\"a\": 1, \"b\": 2, \"\\u0061\": 3}", "{\n  \"a\": 3,\n  \"b\": 2\n}\n");
}

TEST(a_merge_key_is_a_key_like_any_other)
{
	assert_json("{\"<<\": {}}", "{\n  \"<<\": {}\n}\n");
}

TEST(depth_without_end_is_refused)
{
	CLEANUP(freep) char *text = repeat("", 1000000, "[", "");

	assert_string_equal(json_problem(text),
		"1:129: more than 128 maps and lists in each other; raise the limit 'depth'");
}

TEST(one_endless_line_costs_no_time)
{
	CLEANUP(freep) char *text = repeat("[", 500000, "\"\", ", "\"\"]");
	clock_t start = clock();

	document_free(read_json(text));
	assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
}

TEST(yaml_becomes_json_by_its_types)
{
	assert_written(&format_yaml, "{a: 0644, b: yes, c: ~, d: 1.10, e: '7', f: 2001-12-14}",
		&format_json,
		"{\n  \"a\": 420,\n  \"b\": true,\n  \"c\": null,\n  \"d\": 1.10,\n"
		"  \"e\": \"7\",\n  \"f\": \"2001-12-14\"\n}\n");
}

TEST(foreign_tags_are_dropped)
{
	assert_written(&format_yaml, "[!Ref 12, !x {a: !y [b]}]", &format_json,
		"[\n  \"12\",\n  {\n    \"a\": [\n      \"b\"\n    ]\n  }\n]\n");
}

TEST(keys_become_strings)
{
	assert_written(&format_yaml, "{0x10: a, on: b, ~: c}", &format_json,
		"{\n  \"16\": \"a\",\n  \"true\": \"b\",\n  \"null\": \"c\"\n}\n");
	assert_string_equal(write_problem("? [a]\n: b\n"),
		"app.yaml:1:3: a key in JSON is a string, and this one is a list; write a string");
	assert_string_equal(write_problem("16: a\n'16': b\n"),
		"app.yaml:2:1: two keys of the map are the same text in JSON; rename one");
}

TEST(numbers_that_json_has_not_are_problems)
{
	assert_string_equal(write_problem("a: .inf\n"),
		"app.yaml:1:4: \".inf\" is not a number in JSON; quote "
		"it, or write the file as YAML");
	assert_string_equal(write_problem("- .NaN\n"), "app.yaml:1:3: \".NaN\" is not a number in "
						       "JSON; quote it, or write the file as YAML");
}

TEST(json_becomes_yaml_of_the_same_types)
{
	assert_written(&format_json, "{\"a\": [1.50, \"\\u0000\", true, \"1\"], \"<<\": {}}",
		&format_yaml, "\"a\":\n- 1.50\n- \"\\0\"\n- true\n- \"1\"\n\"<<\": {}\n");
	/* Without a point and a sign these are strings in YAML 1.1. */
	assert_written(&format_json, "[1E5, 1.5e-3, 2e+7]", &format_yaml,
		"- 1.0E+5\n- 1.5e-3\n- 2.0e+7\n");
}
