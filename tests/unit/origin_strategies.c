/*
 * Origins of values that deep, salt and cfengine merge: sources in, and the origin of one value.
 */
#include "origin_fixture.h"
#include "test.h"

TEST(deep_reports_the_winner)
{
	static const struct row rows[] = {
		{{"a: 1", "b: 1", "a: 2"}, "b", "b:1:4"},
		{{"a: 1", "x: 1\na: 2", "a: 3"}, "a",
			"c:1:4\nLOST a:1:4 the later value replaces\n"
			"LOST b:2:4 the later value replaces"},
		{{"a: 1", "a:"}, "a", "a:1:4\nLOST b:1:3 an empty value changes nothing"},
		{{"a: {x: 1}", "a: {y: 1}"}, "a", "a:1:4\nPART b:1:4 maps merge key by key"},
		{{"a: {x: 1}", "a: {x: 2}"}, "a/x", "b:1:8\nLOST a:1:8 the later value replaces"},
		{{"a: {x: 1}", "a: {y: 1}", "a: 5"}, "a",
			"c:1:4\nLOST a:1:4 a later value of another kind replaces\n"
			"LOST b:1:4 a later value of another kind replaces"},
		{{"a: {x: 1}", "a: !replace {y: 1}"}, "a", "b:1:4\nLOST a:1:4 !replace"},
		{{"x: &k {z: 1}\ny: *k", "x: {z: 2}"}, "x/z",
			"b:1:8\nLOST a:1:11 the later value replaces"},
		{{"x: &k {z: 1}\ny: *k", "x: {z: }"}, "x/z",
			"a:1:11\nLOST b:1:8 an empty value changes nothing"},
		{{"x: &k {z: 1}\ny: *k", "x: {z: }"}, "y/z", "a:1:11"},
		{{"a: {x: 1, y: 2}", "a: {x: !delete }"}, "a/x",
			"-x\nLOST a:1:8 the value is deleted (b:1:8)\n"
			"REMOVED b:1:8 the value is deleted (b:1:8)"},
		{{"a: {x: 1, y: 2}", "a: {x: !delete }", "a: {x: 3}"}, "a/x",
			"c:1:8\nLOST a:1:8 the value is deleted (b:1:8)\n"
			"REMOVED b:1:8 the value is deleted (b:1:8)"},
	};

	CHECK("deep", rows);
}

TEST(deep_reports_lists)
{
	static const struct row rows[] = {
		{{"a: [1]", "a: [2]"}, "a", "b:1:4\nLOST a:1:4 lists: replace"},
		{{"a: [1]", "a: [2]"}, "a", "a:1:4\nPART b:1:4 lists: append",
			.options = "{lists: append}"},
		{{"a: [1]", "a: [2]"}, "a/1", "b:1:5", .options = "{lists: append}"},
		{{"a: [1]", "a: []"}, "a", "a:1:4\nPART b:1:4 lists: append",
			.options = "{lists: append}"},
		{{"a: [1]", "a: [2]", "a: 3"}, "a",
			"c:1:4\nLOST a:1:4 a later value of another kind replaces\n"
			"LOST b:1:4 a later value of another kind replaces",
			.options = "{lists: append}"},
		{{"a: [1]", "a: [2]", "a: [3]", "a: !replace [4]"}, "a",
			"d:1:4\nLOST a:1:4 !replace\nLOST b:1:4 !replace\nLOST c:1:4 !replace",
			.options = "{lists: append}"},
		{{"a: [1]", "a: !prepend [2]"}, "a", "a:1:4\nPART b:1:4 !prepend"},
		{{"a: [{n: x, k: 1}]", "a: [{n: y}, {n: x, k: 2}]"}, "a/0/k",
			"b:1:23\nLOST a:1:15 the later value replaces",
			.options = "{lists: {'*': {by: n}}}"},
		{{"a: [{n: x, k: 1}]", "a: [{n: y}, {n: x, k: 2}]"}, "a/0",
			"a:1:5\nPART b:1:13 maps merge key by key",
			.options = "{lists: {'*': {by: n}}}"},
	};

	CHECK("deep", rows);
}

TEST(salt_reports_which_marks_decided)
{
	static const struct row rows[] = {
		{{"a: !aggr-map {x: 1}", "a: !aggr-map {y: 1}"}, "a",
			"a:1:4\nPART b:1:4 both are !aggr-map"},
		{{"a: !aggr-map {x: 1}", "a: !aggr-map {x: 2}"}, "a/x",
			"b:1:18\nLOST a:1:18 not marked on both sides: the later value replaces"},
		{{"a: !aggr-seq [1]", "a: !aggr-seq [2]"}, "a",
			"a:1:4\nPART b:1:4 both are !aggr-seq: items not there yet are appended"},
		{{"a: !aggr-seq [1]", "a: !aggr-seq [2]"}, "a/1", "b:1:15"},
		{{"a: !aggr-scalar x", "a: !aggr-scalar y", "a: !aggr-scalar z"}, "a",
			"a:1:4\n"
			"PART b:1:4 both are !aggr-scalar: items not there yet are appended\n"
			"PART c:1:4 both are !aggr-scalar: items not there yet are appended"},
		{{"a: !aggr-seq [x]", "a: !aggregate y"}, "a",
			"a:1:4\nPART b:1:4 both are marked: items not there yet are appended"},
		{{"!aggregate a: {x: 1}", "!aggregate a: {y: 1}"}, "a",
			"a:1:15\nPART b:1:15 both are !aggregate"},
		{{"a: !aggr-seq [1]", "a: [2]"}, "a",
			"b:1:4\nLOST a:1:4 not marked on both sides: the later value replaces"},
		{{"a: !aggr-seq [1]", "a: 2"}, "a",
			"b:1:4\nLOST a:1:4 not marked on both sides: the later value replaces"},
		{{"a: {x: 1}", "a: 2"}, "a",
			"b:1:4\nLOST a:1:4 a later value of another kind replaces"},
		{{"a: 1", "b: 2"}, "", "a:1:1\nPART b:1:1 documents are aggregated"},
		{{"- 1", "- 2"}, "",
			"a:1:1\n"
			"PART b:1:1 documents are aggregated: items not there yet are appended"},
		{{"a: !aggr-map {x: 1}", "a: !aggr-map {y: 1}"}, "a",
			"a:1:4\nPART b:1:4 both are !aggr-map", .options = "{tags: true}"},
	};

	CHECK("salt", rows);
}

TEST(salt_reports_which_level_decided)
{
	static const struct row rows[] = {
		{{"a: {x: 1}", "a: {y: 1}"}, "a", "a:1:4\nPART b:1:4 level 2 is on: aggregated",
			.options = "{level: 2}"},
		{{"a: {x: 1}", "a: {y: 1}"}, "a",
			"b:1:4\nLOST a:1:4 only the later map's keys count (not marked)\n-x\n"
			"LOST a:1:8 only the later map's keys count (not marked)",
			.options = "{level: 1}"},
		{{"a: !aggr-map {k: 1}", "a: !aggr-map {k: 2}"}, "a/k",
			"a:1:18\nPART b:1:18 level 3 is on: items not there yet are appended",
			.options = "{level: '001'}"},
		{{"a: [1]", "a: [1, 2]", "a: [3]"}, "a",
			"a:1:4\nPART b:1:4 level 2 is on: items not there yet are appended\n"
			"PART c:1:4 level 2 is on: items not there yet are appended",
			.options = "{level: true}"},
		{{"a: {x: 1}\nb: {x: 1}", "a: {y: 1}\nb: {y: 1}"}, "b",
			"a:2:4\nPART b:2:4 level 2 is on: aggregated", .options = "{level: 2}"},
		{{"a: {x: 1}\na: {y: 1}", "a: {z: 1}"}, "a",
			"a:2:4\nLOST a:1:4 only the later map's keys count (not marked)\n"
			"PART b:1:4 level 2 is on: aggregated\n-x\n"
			"LOST a:1:8 only the later map's keys count (not marked)",
			.options = "{level: 2}"},
		{{"a: [1]", "a: {x: 1}"}, "a",
			"b:1:4\nLOST a:1:4 a later value of another kind replaces",
			.options = "{level: true}"},
	};

	CHECK("salt", rows);
}

TEST(salt_reports_keys_that_are_not_looked_at)
{
	static const struct row rows[] = {
		{{"a: {x: 1, y: 1}", "a: {y: 2}"}, "a/x",
			"-x\nLOST a:1:8 only the later map's keys count (not marked)"},
		{{"a: {x: 1, y: 1}", "a: {y: 2}", "a: {y: 3}"}, "a/x",
			"-x\nLOST a:1:8 only the later map's keys count (not marked)"},
		{{"a: {x: 1, y: 1}", "a: {y: 2}", "a: {x: 3}"}, "a/x",
			"c:1:8\nLOST a:1:8 only the later map's keys count (not marked)"},
		{{"a: {x: !aggr-seq [1], y: 1}", "a: {x: !aggr-seq [2]}"}, "a",
			"b:1:4\nPART a:1:4 only the later map's keys count (not marked)\n-y\n"
			"LOST a:1:26 only the later map's keys count (not marked)"},
	};

	CHECK("salt", rows);
}

TEST(salt_reports_keys_that_come_twice)
{
	static const struct row rows[] = {
		{{"a: 1\na: 2\na: 3", "b: 1"}, "a",
			"a:3:4\nLOST a:1:4 not marked on both sides: the later value replaces\n"
			"LOST a:2:4 not marked on both sides: the later value replaces"},
		{{"a: 1\n!reset a: 2"}, "a", "a:2:11\nLOST a:1:4 !reset on the key (a:2:1)"},
		{{"a: !aggr-seq [1]\na: !aggr-seq [2]", "a: !aggr-seq [3]"}, "a",
			"a:1:4\nPART a:2:4 both are !aggr-seq: items not there yet are appended\n"
			"PART b:1:4 both are !aggr-seq: items not there yet are appended"},
		{{"a: !aggr-seq [1]", "a: !aggr-seq [2]\na: !aggr-seq [3]"}, "a",
			"a:1:4\nPART b:1:4 both are !aggr-seq: items not there yet are appended\n"
			"PART b:2:4 both are !aggr-seq: items not there yet are appended"},
	};

	CHECK("salt", rows);
}

TEST(cfengine_reports_which_key_won)
{
	static const struct row rows[] = {
		{{"k: 1\n", "l: 0\nk: 2\n", "k: 3\n"}, "k",
			"c:1:4\nLOST a:1:4 the last key wins\nLOST b:2:4 the last key wins",
			"the last key wins"},
		{{"k: 1\n", "l: 0\n"}, "l", "b:1:4", "a key in one of them"},
		{{"k: 1\n", "l: 2\n", "m: 3\n"}, "",
			"a:1:1\nPART b:1:1 mergedata: all keys in one object\n"
			"PART c:1:1 mergedata: all keys in one object",
			"objects become one"},
		{{"[1]\n", "- 2\n"}, "", "a:1:1\nPART b:1:1 mergedata: lists are concatenated",
			"lists are concatenated"},
		{{"1: one\n", "'1': two\n"}, "1", "b:1:6\nLOST a:1:4 the last key wins",
			"a number is the key of its text"},
		{{"1: one\n", "l: 0\n"}, "", "a:1:1\nPART b:1:1 mergedata: all keys in one object",
			"what a number's key became is the map"},
		{{"'0': x\n", "[y]\n"}, "0", "b:1:2\nLOST a:1:6 an array's offsets win",
			"an array after an object"},
		{{"[y]\n", "'0': x\n"}, "0", "a:1:2\nLOST b:1:6 an array's offsets win",
			"an array before an object"},
		{{"[y]\n", "k: x\n"}, "", "b:1:1\nPART a:1:1 mergedata: all keys in one object",
			"an array in an object"},
	};

	CHECK("cfengine", rows);
}

TEST(cfengine_reports_where_an_argument_is_from)
{
	static const struct row rows[] = {
		{{"k: 1\n"}, "k", "app.yaml:1:11\nLOST a:1:4 the last key wins", "inline JSON",
			"args: [a, '{\"k\": 2}']"},
		{{"k: 1\n"}, "k", "app.yaml:1:15\nLOST a:1:4 the last key wins", "inline YAML",
			"args: [a, {k: 2}]"},
		{{"m: {k: 1}\n", "- {k: 2}\n"}, "k", "b:1:7\nLOST a:1:8 the last key wins",
			"what is extracted", "args: ['a[m]', 'b[0]']"},
		{{"k: 1\n", "k: 2\n"}, "k",
			"a:1:4\nLOST a:1:4 the last key wins\nLOST b:1:4 the last key wins",
			"a container twice", "args: [a, b, a]"},
		{{"k: 1\n"}, "x", "app.yaml:1:32\nLOST a:1:1 the last key wins",
			"a container in two places, one", "args: ['{\"x\": a, \"y\": a}', {x: 1}]"},
		{{"k: 1\n"}, "y", "a:1:1", "a container in two places, other",
			"args: ['{\"x\": a, \"y\": a}', {x: 1}]"},
	};

	CHECK("cfengine", rows);
}

/* All inputs of one layer are one container. */
TEST(cfengine_reports_what_a_layer_s_files_come_to)
{
	static const struct row rows[] = {
		{{"k: 1\n", "k: 2\n"}, "k", "b:1:4\nLOST a:1:4 the last key wins", "a value",
			"args: [a, '{\"l\": 0}']"},
		{{"k: 1\n", "k: 2\n"}, "",
			"a:1:1\nPART b:1:1 mergedata: all keys in one object\n"
			"PART app.yaml:1:11 mergedata: all keys in one object",
			"an object", "args: [a, '{\"l\": 0}']"},
		{{"[1]\n", "[2]\n"}, "",
			"a:1:1\nPART b:1:1 mergedata: lists are concatenated\n"
			"PART app.yaml:1:11 mergedata: lists are concatenated",
			"a list", "args: [a, '[0]']"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct setting setting;
		set_row(&setting, "cfengine", &rows[i]);
		setting.inputs[1].source.layer = "a";
		check_origin(&setting, &rows[i]);
	}
}
