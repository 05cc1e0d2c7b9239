/* TOML in and out: exactly version 1.0.0. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "reading.h"
#include "repeat.h"
#include "scalar.h"
#include "test.h"

static struct document *read_toml(const char *text)
{
	return read_with((struct read_options){.format = &format_toml}, span_of(text));
}

static const char *toml_problem(const char *text)
{
	return problem_with((struct read_options){.format = &format_toml}, span_of(text));
}

static void assert_toml(const char *text, const char *expected)
{
	assert_written(&format_toml, text, &format_toml, expected);
}

static const char *write_problem(const char *yaml)
{
	return problem_of_writing(yaml, &format_toml);
}

static void assert_place(const struct node *node, uint32_t line, uint32_t column)
{
	assert_non_null(node);
	assert_int_equal(node->line, line);
	assert_int_equal(node->column, column);
}

TEST(nodes_know_their_place)
{
	CLEANUP(document_freep)
	struct document *document = read_toml("# ä\n\"ä\".b = [\"ü\", 1]\n\n[ t . u ]\nk = {x = "
					      "\"\"\"\n\"\"\", y = 2}\n[[l]]\n[t]\n");
	const struct node *root = document->roots[0], *dotted = node_get(root, "ä");
	const struct node *table = node_get(root, "t"), *inner = node_get(table, "u");
	const struct node *pair = node_get(inner, "k"), *list = node_get(root, "l");

	assert_place(root, 2, 1);
	assert_place(dotted, 2, 1);
	assert_place(dotted->map.pairs[0].key, 2, 5);
	assert_place(node_get(dotted, "b"), 2, 9);
	assert_place(node_get(dotted, "b")->seq.items[1], 2, 15);
	assert_place(root->map.pairs[1].key, 4, 3);
	assert_place(inner, 4, 7);
	assert_place(table, 8, 2);
	assert_place(pair, 5, 5);
	assert_place(node_get(pair, "x"), 5, 10);
	assert_place(pair->map.pairs[1].key, 6, 6);
	assert_place(list, 7, 3);
	assert_place(list->seq.items[0], 7, 1);
}

TEST(styles_tell_how_it_was_written)
{
	CLEANUP(document_freep)
	struct document *document = read_toml("a.b = [1]\nc = [\n]\nd = {}\ne = ['x', \"x\"]\n"
					      "f = [\"\"\"x\"\"\", '''x''']\n[g]\n[[h]]\n");
	const struct node *root = document->roots[0], *strings = node_get(root, "e");
	const struct node *longs = node_get(root, "f");

	assert_int_equal(root->style, NODE_BLOCK);
	assert_int_equal(node_get(root, "a")->style, NODE_DOTTED);
	assert_int_equal(node_get(node_get(root, "a"), "b")->style, NODE_FLOW);
	assert_int_equal(node_get(root, "c")->style, NODE_BLOCK);
	assert_int_equal(node_get(root, "d")->style, NODE_FLOW);
	assert_int_equal(strings->seq.items[0]->style, NODE_SINGLE);
	assert_int_equal(strings->seq.items[1]->style, NODE_DOUBLE);
	assert_int_equal(longs->seq.items[0]->style, NODE_FOLDED);
	assert_int_equal(longs->seq.items[1]->style, NODE_LITERAL);
	assert_int_equal(node_get(root, "g")->style, NODE_HEADER);
	assert_int_equal(node_get(root, "h")->style, NODE_BLOCK);
}

/* Returns the weight that the limits use: each map and list is counted anew. */
static uint32_t assert_weighed(const struct node *node)
{
	uint32_t sum = 1;

	for (uint32_t i = 0; i < node_count(node); i++) {
		sum += assert_weighed(*node_entry(node, i));
		sum += node_is_map(node);
	}
	assert_int_equal(node->weight, sum);
	return sum;
}

TEST(tables_weigh_what_is_added_to_them_later)
{
	CLEANUP(document_freep)
	struct document *document = read_toml(
		"a.b.c = 1\na.b.d = {e.f = [1, [2, {}]], e.g = 3}\n[t.u]\nx = 1\n[[l]]\n[[l.m]]\n"
		"[t]\ny = 1\n[t.u.v]\nz = 1\n[[l.m]]\nn = {}\n[[l]]\n[a.b.w]\no = 1\n");

	assert_weighed(document->roots[0]);
}

TEST(keys_are_strings_whatever_they_look_like)
{
	const char *const names[] = {
		"80", "1.5", "true", "yes", "null", "inf", "1979-05-27", "-1", "~"};
	CLEANUP(document_freep)
	struct document *document = read_toml("80 = 1\n\"1.5\" = 1\ntrue = 1\nyes = 1\nnull = 1\n"
					      "inf = 1\n1979-05-27 = 1\n-1 = 1\n'~' = 1\n");
	const struct node *root = document->roots[0];
	struct span yaml = write_as(root, &format_yaml, document->arena);
	CLEANUP(document_freep)
	struct document *again = read_with((struct read_options){.format = &format_yaml}, yaml);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_non_null(node_get(root, names[i]));
	assert_true(node_equal(again->roots[0], root));
}

TEST(values_have_the_types_that_their_text_says)
{
	static const struct {
		const char *text;
		enum scalar_type type;
	} cases[] = {
		{"true", SCALAR_BOOL},
		{"0", SCALAR_INT},
		{"-9223372036854775808", SCALAR_INT},
		{"0x7fffffffffffffff", SCALAR_INT},
		{"0b0_1", SCALAR_INT},
		{"1e3", SCALAR_FLOAT},
		{"-1_0.0_1E-0_5", SCALAR_FLOAT},
		{"+inf", SCALAR_FLOAT},
		{"nan", SCALAR_FLOAT},
		{"0000-02-29", SCALAR_TIMESTAMP},
		{"2000-02-29T23:59:60.123456789+23:59", SCALAR_TIMESTAMP},
		{"1979-05-27 07:32:00", SCALAR_TIMESTAMP},
		{"00:00:00", SCALAR_TIMESTAMP},
		{"23:59", SCALAR_TIMESTAMP},
		{"1979-05-27T07:32", SCALAR_TIMESTAMP},
		{"1979-05-27 07:32Z", SCALAR_TIMESTAMP},
		{"1979-05-27t07:32-23:59", SCALAR_TIMESTAMP},
		{"'1'", SCALAR_STRING},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "a = %s", cases[i].text);
		CLEANUP(document_freep) struct document *document = read_toml(text);
		assert_int_equal(scalar_type(node_get(document->roots[0], "a")), cases[i].type);
	}
}

TEST(numbers_are_equal_by_value_and_nan_to_nothing)
{
	CLEANUP(document_freep)
	struct document *document =
		read_toml("a = [0x1F, 31, 3_1.0, 0b11111, 0o37, +31]\nb = [nan, nan, inf, +inf]\n");
	const struct node *const *equal = node_get(document->roots[0], "a")->seq.items;
	const struct node *const *other = node_get(document->roots[0], "b")->seq.items;
	CLEANUP(document_freep) struct document *yaml = read_yaml("[31, .inf]");

	for (size_t i = 0; i < 6; i++) {
		assert_true(node_equal(equal[i], yaml->roots[0]->seq.items[0]));
		assert_int_equal(node_hash(equal[i]), node_hash(equal[0]));
	}
	assert_false(node_equal(other[0], other[1]));
	assert_true(node_equal(other[2], other[3]));
	assert_true(node_equal(other[2], yaml->roots[0]->seq.items[1]));
}

TEST(strings_are_what_the_standard_says)
{
	CLEANUP(document_freep)
	struct document *document = read_toml(
		"a = [\"\\b\\t\\n\\f\\r\\\"\\\\\\u00e9\\U0001F600\\u0000.\",\n"
		"\"\"\"\r\nx\r\n\"\" \\  \r\n\n  y\"\"\"\"\", '''\n\\u'x'''', \"\"\"\"\"\", '']");
	const struct node *const *items = node_get(document->roots[0], "a")->seq.items;

	assert_int_equal(items[0]->text.len, 15);
	assert_memory_equal(items[0]->text.data, "\b\t\n\f\r\"\\é😀\0.", 16);
	assert_string_equal(items[1]->text.data, "x\n\"\" y\"\"");
	assert_string_equal(items[2]->text.data, "\\u'x'");
	assert_string_equal(items[3]->text.data, "");
	assert_string_equal(items[4]->text.data, "");
}

TEST(text_that_is_no_toml_is_reported_with_its_place)
{
	static const struct {
		const char *text;
		const char *problem;
	} cases[] = {
		{"a = 1\n\xFF", "2:1: is not UTF-8; save it as UTF-8"},
		{"a = 1 # \xC3(", "1:9: is not UTF-8; save it as UTF-8"},
		{"a = \"é\xED\xA0\x80\"", "1:7: is not UTF-8; save it as UTF-8"},
		{"a = '\xC0\x80'", "1:6: is not UTF-8; save it as UTF-8"},
		{"a = \xEF\xBB\xBF", "1:5: a value is missing here"},
		{"é = 1", "1:1: a key is missing; put one with other characters than letters, "
			  "digits, _ and - in quotes"},
		{"a = \"\"\"\\ x\"\"\"",
			"1:9: TOML has no such escape; a backslash is written \\\\"},
		{"a = \"\\x4g\"",
			"1:8: \\x needs two hexadecimal digits; a backslash is written \\\\"},
		{"a = \"\\x4",
			"1:8: \\x needs two hexadecimal digits; a backslash is written \\\\"},
		{"a = \"\\E\"", "1:6: TOML has no such escape; a backslash is written \\\\"},
		{"a = 07:3", "1:5: \"07:3\" is no date or time, such as 1979-05-27, 07:32:00 or "
			     "1979-05-27T07:32:00Z"},
		{"a = 07:32:",
			"1:5: \"07:32:\" is no date or time, such as 1979-05-27, 07:32:00 or "
			"1979-05-27T07:32:00Z"},
		{"a = 07:32.5", "1:5: \"07:32.5\" is no date or time, such as 1979-05-27, 07:32:00 "
				"or 1979-05-27T07:32:00Z"},
		{"a = \"\\", "1:6: TOML has no such escape; a backslash is written \\\\"},
		{"a = \"\\u12",
			"1:8: \\u needs four hexadecimal digits; a backslash is written \\\\"},
		{"a = \"\\U00110000\"",
			"1:8: there is no such character; surrogates are none, and the "
			"last is \\U0010FFFF"},
		{"a = \"\"\"x\n\"\"",
			"2:3: the file ends inside a string; its closing quotes are missing"},
		{"'''a''' = 1", "1:1: a key must be on one line; write it with one pair of quotes"},
		{"a = 1.", "1:5: \"1.\" is not a number in TOML; put a string in quotes"},
		{"a = +0x1", "1:5: \"+0x1\" has a sign, which TOML allows on decimal numbers only; "
			     "write it in decimal"},
		{"a = 0X1", "1:5: \"0X1\" is not a number in TOML; put a string in quotes"},
		{"a = 24:00:00",
			"1:5: \"24:00:00\" is no date or time, such as 1979-05-27, 07:32:00 or "
			"1979-05-27T07:32:00Z"},
		{"a = -", "1:5: \"-\" is not a value in TOML; put a string in quotes"},
		{"a = 1979-05-27  07:32:00", "1:17: put this on a line of its own"},
		{"a = {", "1:6: a key is missing"},
		{"a = {b = 1",
			"1:11: a \",\" or \"}\" is missing in the inline table that begins on "
			"line 1"},
		{"a = {b = 1 # c\n",
			"2:1: a \",\" or \"}\" is missing in the inline table that begins "
			"on line 1"},
		{"a = {b = 1\nc = 2}", "2:1: a \",\" or \"}\" is missing in the inline table that "
				       "begins on line 1"},
		{"a = {# c\n", "2:1: a key is missing"},
		{"a = {,}", "1:6: a key is missing; put one with other characters than letters, "
			    "digits, _ and - in quotes"},
		{"a = {b = 1,,}", "1:12: a key is missing; put one with other characters than "
				  "letters, digits, _ and - in quotes"},
		{"a = {b\n= 1}", "1:7: a \"=\" is missing behind the key"},
		{"a = {b =\n1}", "1:9: a value is missing here"},
		{"a = [", "1:6: the file ends where a value is missing"},
		{"a = [1", "1:7: a \",\" or \"]\" is missing in the list that begins on line 1"},
		{"[[a] ]", "1:4: a \"]]\" is missing behind the name of the table"},
		{"[a", "1:3: a \"]\" is missing behind the name of the table"},
		{"[]", "1:2: a key is missing; put one with other characters than letters, digits, "
		       "_ and - in quotes"},
		{"a", "1:2: a \"=\" is missing behind the key"},
		{"a = # x", "1:5: a value is missing here"},
		{"a =", "1:4: the file ends where a value is missing"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(toml_problem(cases[i].text), cases[i].problem);
}

TEST(what_came_with_1_1_is_refused_in_1_0)
{
	static const struct {
		const char *text;
		const char *problem;
	} cases[] = {
		{"a = {b = 1,}",
			"1:12: the rule has toml: \"1.0\", which has no comma behind the last "
			"value of an inline table"},
		{"a = {\nb = 1}",
			"1:6: the rule has toml: \"1.0\", which has an inline table on one "
			"line; a [table] may have many"},
		{"a = {b = 1\n}", "1:11: the rule has toml: \"1.0\", which has an inline table on "
				  "one line; a [table] may have many"},
		{"a = {b = 1, # c\nc = 2}", "1:13: the rule has toml: \"1.0\", which has an inline "
					    "table on one line; a [table] may have many"},
		{"a = \"\\e\"",
			"1:6: the rule has toml: \"1.0\", and \\e and \\x come with TOML 1.1; "
			"write \\u and four digits"},
		{"a = \"\"\"\\x41\"\"\"",
			"1:8: the rule has toml: \"1.0\", and \\e and \\x come with "
			"TOML 1.1; write \\u and four digits"},
		{"a = 07:32", "1:5: \"07:32\" has no seconds, and the rule has toml: \"1.0\"; add "
			      ":00"},
		{"a = 1979-05-27T07:32-07:00",
			"1:5: \"1979-05-27T07:32-07:00\" has no seconds, and "
			"the rule has toml: \"1.0\"; add :00"},
	};
	const struct read_options options = {.format = &format_toml_1_0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CLEANUP(document_freep) struct document *document = read_toml(cases[i].text);
		assert_non_null(document);
		assert_string_equal(
			problem_with(options, span_of(cases[i].text)), cases[i].problem);
	}
	CLEANUP(document_freep)
	struct document *old = read_with(
		options, span_of("a = {b = [\n1,\n]}\nc = 07:32:00.5\nd = \"\\u0041\"\n"));
	assert_non_null(old);
}

TEST(a_nul_byte_is_refused_wherever_it_stands)
{
	static const char text[] = "a.b = ['x', \"\"\"y\"\"\"] # z\n[c]\n";

	for (size_t i = 0; i < sizeof(text); i++) {
		char broken[sizeof(text) + 1];

		memcpy(broken, text, i);
		broken[i] = '\0';
		memcpy(broken + i + 1, text + i, sizeof(text) - i);
		problem_with((struct read_options){.format = &format_toml},
			(struct span){broken, sizeof(text)});
	}
}

TEST(a_byte_order_mark_is_skipped)
{
	assert_toml("\xEF\xBB\xBF"
		    "a = 1",
		"a = 1\n");
}

TEST(only_the_quotes_that_are_needed_are_written)
{
	/* Quotes in a row, and at the end; characters that only an escape can write. */
	assert_toml("a = '''x'''\nb = \"\"\"\"\"x\"\\\"\"y\"\\\"\"\"\"\nc = '''\n\r\n'''\n",
		"a = '''x'''\nb = \"\"\"\"\"x\"\"\\\"y\"\\\"\"\"\"\nc = '''\n\n'''\n");
	assert_written(&format_yaml,
		"a: |\n  it''s\nb: 'it''s'\nc: \"\\r\\t\\e\\x7F\"\nd: >\n  \\a\n", &format_toml,
		"a = \"\"\"\nit''s\n\"\"\"\nb = \"it's\"\nc = \"\\r\\t\\u001B\\u007F\"\n"
		"d = \"\"\"\n\\\\a\n\"\"\"\n");
}

/* Written, read and written again it is the same. */
TEST(what_is_written_is_written_so_again)
{
	const char *const yaml[] = {
		"{a: {b: {c: 1}}, d: [{e: 1}, {f: [{g: {}}]}], h: [[], {}], i: {}}",
		"a:\n  b:\n    c: |\n      x\n  d: [1]\ne:\n- f: {g: 1}\n- h:\n  - i\n  - {j: 1}\n",
		"a: {b: [{c: 1}, x]}\nd:\n- [1, [2]]\n-\n  - 3\ne: {f: {}}\ng:\n  h: {}\n",
	};

	for (size_t i = 0; i < sizeof(yaml) / sizeof(yaml[0]); i++) {
		CLEANUP(document_freep) struct document *document = read_yaml(yaml[i]);
		struct span text = write_as(document->roots[0], &format_toml, document->arena);
		CLEANUP(document_freep) struct document *again = read_toml(text.data);

		assert_true(node_equal(again->roots[0], document->roots[0]));
		assert_string_equal(
			write_as(again->roots[0], &format_toml, again->arena).data, text.data);
	}
}

TEST(what_toml_can_not_hold_is_a_problem_at_its_place)
{
	assert_string_equal(write_problem(".inf: 1"), "app.yaml:1:1: \".inf\" can't be a key in "
						      "TOML; quote it, or write the file as YAML");
	assert_string_equal(write_problem("x"),
		"app.yaml:1:1: a TOML file is a table, and this one is a scalar; write it as YAML "
		"or JSON");
}

TEST(depth_without_end_is_refused)
{
	static const struct {
		const char *head, *text, *tail, *problem;
	} cases[] = {
		{"a = ", "[", "", "1:132: more than 128 maps"},
		{"a = ", "{a=", "", "1:386: more than 128 maps"},
		{"a", ".a", " = 1", "1:255: more than 128 maps"},
		{"[a", ".a", "]", "1:256: more than 128 maps"},
		{"[[a", ".a", "]]", "1:257: more than 128 maps"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = repeat(cases[i].head, 500000, cases[i].text, cases[i].tail);
		const char *problem = toml_problem(text);

		assert_memory_equal(problem, cases[i].problem, strlen(cases[i].problem));
		free(text);
	}
}

TEST(depth_is_counted_alike_however_it_is_written)
{
	const char *const texts[] = {
		"a.b.c = [1]", "[a.b.c]\nx = [1]", "a = {b = {c = [[]]}}", "[[a.b]]\nx = {}"};
	const uint32_t depths[] = {4, 5, 5, 5};

	for (size_t i = 0; i < 4; i++) {
		struct read_options options = {.format = &format_toml, .limits = LIMITS_DEFAULT};

		options.limits.depth = depths[i];
		document_free(read_with(options, span_of(texts[i])));
		options.limits.depth--;
		problem_with(options, span_of(texts[i]));
	}
}

TEST(a_large_file_costs_no_more_than_its_size)
{
	static const struct {
		const char *head, *text, *tail;
	} cases[] = {
		{"a = [ ", "'', ", "]"}, /* one endless line */
		{"", "[[a.b]]\n", ""},
		{"[a.b.c]\n", "# x\n", ""},
		{"a = \"\"\"", "\"\"x", "\"\"\""},
		{"a = [", "{b.c = 1, b.d = 2},\n", "]"},
	};
	clock_t start = clock();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = repeat(cases[i].head, 100000, cases[i].text, cases[i].tail);

		document_free(read_toml(text));
		free(text);
	}
	assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20);
}

TEST(header_of_a_table_that_has_only_tables_stays)
{
	assert_toml("[a]\n[a.b]\nx = 1\n", "[a]\n\n[a.b]\nx = 1\n");
	assert_toml("[a.b]\nx = 1\n", "[a.b]\nx = 1\n");
}

/* Each header repeats the path to its table. */
TEST(long_keys_in_many_headers_end_at_the_limit)
{
	CLEANUP(freep) char *key = repeat("{\"", 100000, "x", "\": {\"a\": 0");
	CLEANUP(freep) char *text = repeat(key, 20000, ", \"@\": {\"a\": 0}", "}}");
	struct limits limits = LIMITS_DEFAULT;
	struct problem problem;
	struct span written;
	clock_t start = clock();

	CLEANUP(document_freep) struct document *document = read_json(text);
	assert_int_equal(document_write(document->roots[0], &format_toml, &limits, document->arena,
				 &written, &problem),
		PROBLEM);
	assert_non_null(strstr(problem.message, "raise the limit 'result'"));
	assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
}
