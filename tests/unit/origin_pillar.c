/* Origins of values that the pillar strategy merges: files in, and the origin of one value. */
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "origin_story.h"
#include "pillar_tree.h"
#include "test.h"

/* Files by path, an entry for each layer of one; the first of them is merged. */
struct row {
	const char *files[8][2];
	const char *path;
	const char *expected;
};

static void check_pillar(const struct row *row)
{
	static struct pillar_tree tree;
	struct merge_result *result = NULL;
	struct problem problem;
	int r;

	pillar_tree_init(&tree);
	tree.wants_origins = true;
	for (size_t i = 0; i < 8 && row->files[i][0]; i++)
		pillar_tree_add(&tree, row->files[i][0], row->files[i][1]);
	r = pillar_tree_merge(&tree, row->files[0][0], NULL, LIMITS_DEFAULT, &result, &problem);
	if (r != 0)
		fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
	CLEANUP(freep) char *got = story(result, row->path);
	if (strcmp(got, row->expected) != 0)
		fail_msg("%s of\n%s: expected:\n%s\nand got:\n%s", row->path, row->files[0][1],
			row->expected, got);
	merge_result_free(result);
	pillar_tree_fini(&tree);
}

#define CHECK_PILLARS(rows)                                                                        \
	for (size_t i = 0; i < sizeof(rows) / sizeof(*(rows)); i++)                                \
	check_pillar(&(rows)[i])

TEST(pillar_reports_references)
{
	static const struct row rows[] = {
		{{{"h", "_merge: z\na: 1"}, {"z.yaml", "a: 2"}}, "a",
			"0/h:2:4\n"
			"LOST 0/z.yaml:1:4 the file takes precedence over the files that it refers "
			"to (0/h:1:9)"},
		{{{"h", "_merge: z\na: 1"}, {"z.yaml", "b: 2"}}, "b", "0/z.yaml:1:4"},
		{{{"h", "_merge: z\na: 1"}, {"z.yaml", "b: 2"}}, "_merge",
			"-_merge\nLOST 0/h:1:9 names the files that are combined in"},
		{{{"h", "_merge: z\n_parent: z\na: 1\nb: 1"}, {"z.yaml", "b: 2"}}, "_parent",
			"-_parent\nLOST 0/h:2:10 names the files that are combined in"},
		{{{"h", "_merge: z\na: {x: 1}"}, {"z.yaml", "a: {y: 2}"}}, "a",
			"0/h:2:4\n"
			"PART 0/z.yaml:1:4 maps: keys that are not there yet are added (0/h:1:9)"},
		{{{"h", "_merge: z\na: [1]"}, {"z.yaml", "a: [1, 2]"}}, "a",
			"0/h:2:4\n"
			"PART 0/z.yaml:1:4 lists: items that are not there yet are appended "
			"(0/h:1:9)"},
		{{{"h", "_merge: z\na: [1]"}, {"z.yaml", "a: [1, 2]"}}, "a/1", "0/z.yaml:1:8"},
		{{{"h", "_merge: z\na: [1]"}, {"z.yaml", "a: 2"}}, "a",
			"0/h:2:4\n"
			"LOST 0/z.yaml:1:4 values of different kinds do not combine (0/h:1:9)"},
	};

	CHECK_PILLARS(rows);
}

TEST(pillar_reports_lower_layers)
{
	static const struct row rows[] = {
		{{{"h", "a: 1"}, {"h", "a: 2"}}, "a",
			"1/h:1:4\nLOST 0/h:1:4 the earlier pillar's value is not used"},
		{{{"h", "a: 1"}, {"h", "b: 2"}}, "",
			"1/h:1:1\nPART 0/h:1:1 maps: keys that are not there yet are added"},
	};

	CHECK_PILLARS(rows);
}

TEST(pillar_reports_markers)
{
	static const struct row rows[] = {
		{{{"h", "_merge: z\na: [_replace, 1]"}, {"z.yaml", "a: [2]"}}, "a",
			"0/h:2:4\nLOST 0/z.yaml:1:4 _replace: nothing is combined in (0/h:2:5)\n"
			"-_replace\nLOST 0/h:2:5 _replace: nothing is combined in"},
		{{{"h", "_merge: z\na: {x: 1, _control: _replace}"}, {"z.yaml", "a: {y: 1}"}}, "a",
			"0/h:2:4\nLOST 0/z.yaml:1:4 _replace: nothing is combined in (0/h:2:21)\n"
			"-_control\nLOST 0/h:2:21 _replace: nothing is combined in"},
		{{{"h", "_merge: z\na: {x: 1, _control: _replace}"}, {"z.yaml", "a: 1"}}, "a",
			"0/h:2:4\n"
			"LOST 0/z.yaml:1:4 values of different kinds do not combine (0/h:1:9)\n"
			"-_control\nLOST 0/h:2:21 _replace: nothing is combined in"},
		{{{"h", "_merge: z\n_control: _replace"}, {"z.yaml", "a: 1"}}, "",
			"0/h:1:1\nLOST 0/z.yaml:1:1 _replace: nothing is combined in (0/h:2:11)\n"
			"-_merge\nLOST 0/h:1:9 names the files that are combined in\n"
			"-_control\nLOST 0/h:2:11 _replace: nothing is combined in"},
		{{{"h", "a: {_control: _replace}"}}, "a/_control",
			"-_control\nLOST 0/h:1:15 _replace: nothing is combined in"},
		{{{"h", "a: {x: 1}"}, {"h", "a: {_control: _replace}"}, {"h", "a: {y: 1}"}}, "a",
			"2/h:1:4\nPART 1/h:1:4 maps: keys that are not there yet are added\n"
			"LOST 0/h:1:4 _replace: nothing is combined in (1/h:1:15)\n"
			"-_control\nLOST 1/h:1:15 _replace: nothing is combined in"},
	};

	CHECK_PILLARS(rows);
}

TEST(pillar_reports_neighbours)
{
	static const struct row rows[] = {
		{{{"h", "_neighbours: n"}, {"n.yaml", "a: 1"}}, "n/a", "0/n.yaml:1:4"},
		{{{"h", "_neighbours: n\nn: 5"}, {"n.yaml", "a: 1"}}, "n",
			"0/n.yaml:1:1\nLOST 0/h:2:4 a neighbour stands under its name (0/h:1:14)"},
		{{{"h", "_neighbours: n\nn: 5"}, {"n.yaml", ""}}, "n",
			"made\nLOST 0/h:2:4 a neighbour stands under its name (0/h:1:14)"},
	};

	CHECK_PILLARS(rows);
}

#define DIAMOND                                                                                    \
	{                                                                                          \
		{"h", "_merge: [p, z, q]\nk: h"}, {"p.yaml", "_merge: z\nk: p\nm: {x: 1}"},        \
			{"q.yaml", "_merge: z\nk: q\nm: {y: 1}"},                                  \
		{                                                                                  \
			"z.yaml", "k: z\nm: {z: 1}\nonly: z\nn: {}"                                \
		}                                                                                  \
	}

TEST(pillar_reports_once_what_comes_by_two_ways)
{
	static const struct row rows[] = {
		{DIAMOND, "k",
			"0/h:2:4\n"
			"LOST 0/z.yaml:1:4 the file takes precedence over the files that it refers "
			"to (0/p.yaml:1:9)\n"
			"LOST 0/p.yaml:2:4 the file takes precedence over the files that it refers "
			"to (0/h:1:10)\n"
			"LOST 0/q.yaml:2:4 the file takes precedence over the files that it refers "
			"to (0/h:1:16)"},
		{DIAMOND, "only", "0/z.yaml:3:7"},
		{DIAMOND, "m",
			"0/p.yaml:3:4\n"
			"PART 0/z.yaml:2:4 maps: keys that are not there yet are added "
			"(0/p.yaml:1:9)\n"
			"PART 0/q.yaml:3:4 maps: keys that are not there yet are added (0/h:1:16)"},
	};

	CHECK_PILLARS(rows);
}

/*
 * The fate of a file's value in one place of the result does not show in the origin of another
 * place.
 */
TEST(pillar_keeps_apart_what_a_file_is_built_into)
{
#define TWICE                                                                                      \
	{                                                                                          \
		{"h", "_merge: [z, y]\n_neighbours: [z, n]"}, {"z.yaml", "k: z\nm: {a: 1}"},       \
			{"y.yaml", "k: y\nm: {b: 1}"}, {"n.yaml", "_merge: [z, w]"},               \
		{                                                                                  \
			"w.yaml", "k: w"                                                           \
		}                                                                                  \
	}
	static const struct row rows[] = {
		{TWICE, "k",
			"0/z.yaml:1:4\n"
			"LOST 0/y.yaml:1:4 the file takes precedence over the files that it refers "
			"to (0/h:1:13)"},
		{TWICE, "m",
			"0/z.yaml:2:4\n"
			"PART 0/y.yaml:2:4 maps: keys that are not there yet are added (0/h:1:13)"},
		{TWICE, "z/k", "0/z.yaml:1:4"},
		{TWICE, "z/m", "0/z.yaml:2:4"},
		{TWICE, "n/k",
			"0/z.yaml:1:4\n"
			"LOST 0/w.yaml:1:4 the file takes precedence over the files that it refers "
			"to (0/n.yaml:1:13)"},
		{TWICE, "n/m", "0/z.yaml:2:4"},
		{{{"h", "_merge: z\nx: {k: 1}"}, {"z.yaml", "x: &x {k: 2}\ny: *x"}}, "y/k",
			"0/z.yaml:1:11"},
		{{{"h", "_merge: [z, y]\n"}, {"z.yaml", "x: &x {k: 2}\ny: *x"},
			 {"y.yaml", "x: {k: 3}"}},
			"y/k", "0/z.yaml:1:11"},
	};

	CHECK_PILLARS(rows);
}

/* There are as many paths as there are subsets of the files: each file must be visited once. */
TEST(contributors_by_very_many_ways_are_reported_once)
{
	static struct pillar_tree tree;
	struct merge_result *result = NULL;
	struct problem problem;

	pillar_tree_init(&tree);
	tree.wants_origins = true;
	for (int i = 0; i <= 40; i++) {
		char path[32], text[400] = "k: 1\n_merge: [";

		for (int j = i + 1; j <= 40; j++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "f%d, ", j);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "]\n");
		snprintf(path, sizeof(path), "f%d.yaml", i);
		pillar_tree_add(&tree, path, text);
	}
	assert_int_equal(
		pillar_tree_merge(&tree, "f0.yaml", NULL, LIMITS_DEFAULT, &result, &problem), 0);
	assert_int_equal(origin_of(result->origins, node_get(result->root, "k"))->count, 40);
	merge_result_free(result);
	pillar_tree_fini(&tree);
}
