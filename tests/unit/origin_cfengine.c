/*
 * Origins of the strategy cfengine: for each decision, the origin of the value that it is about.
 * Noting origins changes nothing else.
 */

#include "origin_fixture.h"
#include "test.h"

TEST(cfengine_reports_which_key_won)
{
	static const struct row rows[] = {
		{"the last key wins", NULL, {"k: 1\n", "l: 0\nk: 2\n", "k: 3\n"}, "k",
			"c:1:4\nLOST a:1:4 the last key wins\nLOST b:2:4 the last key wins"},
		{"a key in one of them", NULL, {"k: 1\n", "l: 0\n"}, "l", "b:1:4"},
		{"objects become one", NULL, {"k: 1\n", "l: 2\n", "m: 3\n"}, "",
			"a:1:1\nPART b:1:1 mergedata: all keys in one object\n"
			"PART c:1:1 mergedata: all keys in one object"},
		{"lists are concatenated", NULL, {"[1]\n", "- 2\n"}, "",
			"a:1:1\nPART b:1:1 mergedata: lists are concatenated"},
		{"a number is the key of its text", NULL, {"1: one\n", "'1': two\n"}, "1",
			"b:1:6\nLOST a:1:4 the last key wins"},
		{"what a number's key became is the map", NULL, {"1: one\n", "l: 0\n"}, "",
			"a:1:1\nPART b:1:1 mergedata: all keys in one object"},
		{"an array after an object", NULL, {"'0': x\n", "[y]\n"}, "0",
			"b:1:2\nLOST a:1:6 an array's offsets win"},
		{"an array before an object", NULL, {"[y]\n", "'0': x\n"}, "0",
			"a:1:2\nLOST b:1:6 an array's offsets win"},
		{"an array in an object", NULL, {"[y]\n", "k: x\n"}, "",
			"b:1:1\nPART a:1:1 mergedata: all keys in one object"},
	};

	CHECK("cfengine", rows);
}

TEST(cfengine_reports_where_an_argument_is_from)
{
	static const struct row rows[] = {
		{"inline JSON", "args: [a, '{\"k\": 2}']", {"k: 1\n"}, "k",
			"app.yaml:1:11\nLOST a:1:4 the last key wins"},
		{"inline YAML", "args: [a, {k: 2}]", {"k: 1\n"}, "k",
			"app.yaml:1:15\nLOST a:1:4 the last key wins"},
		{"what is extracted", "args: ['a[m]', 'b[0]']", {"m: {k: 1}\n", "- {k: 2}\n"}, "k",
			"b:1:7\nLOST a:1:8 the last key wins"},
		{"a container twice", "args: [a, b, a]", {"k: 1\n", "k: 2\n"}, "k",
			"a:1:4\nLOST a:1:4 the last key wins\nLOST b:1:4 the last key wins"},
		{"a container in two places, one", "args: ['{\"x\": a, \"y\": a}', {x: 1}]",
			{"k: 1\n"}, "x", "app.yaml:1:32\nLOST a:1:1 the last key wins"},
		{"a container in two places, other", "args: ['{\"x\": a, \"y\": a}', {x: 1}]",
			{"k: 1\n"}, "y", "a:1:1"},
	};

	CHECK("cfengine", rows);
}

/* All inputs of one layer are one container. */
TEST(cfengine_reports_what_a_layer_s_files_come_to)
{
	static const struct row rows[] = {
		{"a value", "args: [a, '{\"l\": 0}']", {"k: 1\n", "k: 2\n"}, "k",
			"b:1:4\nLOST a:1:4 the last key wins"},
		{"an object", "args: [a, '{\"l\": 0}']", {"k: 1\n", "k: 2\n"}, "",
			"a:1:1\nPART b:1:1 mergedata: all keys in one object\n"
			"PART app.yaml:1:11 mergedata: all keys in one object"},
		{"a list", "args: [a, '[0]']", {"[1]\n", "[2]\n"}, "",
			"a:1:1\nPART b:1:1 mergedata: lists are concatenated\n"
			"PART app.yaml:1:11 mergedata: lists are concatenated"},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check_row_in_layers("cfengine", &rows[i], "a");
}
