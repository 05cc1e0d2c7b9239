/* The pillar strategy where a folder of files can't show it: cost, limits, and its environment. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pillar_tree.h"
#include "repeat.h"
#include "test.h"
#include "untimed.h"

/* Memory of this process: far above what is needed, far below what quadratic growth would need. */
#define SECONDS_MAX 30

static struct pillar_tree tree;
static struct merge_result *result;
static struct problem problem;

static int set_up(void **unused)
{
	(void)unused;
	pillar_tree_init(&tree);
	result = NULL;
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	merge_result_free(result);
	pillar_tree_fini(&tree);
	return 0;
}

__attribute__((format(printf, 2, 3))) static void add(const char *path, const char *format, ...)
{
	char text[4096];
	va_list arguments;

	va_start(arguments, format);
	assert_in_range(vsnprintf(text, sizeof(text), format, arguments), 0, sizeof(text) - 1);
	va_end(arguments);
	pillar_tree_add(&tree, path, text);
}

/* Returns the name of one of many files. Static. */
static const char *numbered(char name, int number)
{
	static char path[32];

	snprintf(path, sizeof(path), "%c%d.yaml", name, number);
	return path;
}

static int merge_with(struct limits limits)
{
	struct timespec before, after;
	int r;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	r = pillar_tree_merge(&tree, "host.yaml", NULL, limits, &result, &problem);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	assert_in_range(after.tv_sec - before.tv_sec, 0, SECONDS_MAX);
	return r;
}

static int merge(void)
{
	return merge_with(limits_untimed());
}

static void assert_result(const char *text)
{
	int r = merge();

	if (r == PROBLEM)
		fail_msg("%s:%u:%u: %s", problem.source, problem.line, problem.column,
			problem.message);
	assert_int_equal(r, 0);
	assert_string_equal(result->text.data, text);
}

static void assert_problem(const char *words)
{
	assert_int_equal(merge(), PROBLEM);
	if (!strstr(problem.message, words))
		fail_msg("no '%s' in: %s", words, problem.message);
}

TEST_WITH(a_file_is_asked_for_once, set_up, tear_down)
{
	add("host.yaml", "_merge: [a, b, a]\n_neighbours: [a]\n");
	add("a.yaml", "_merge: zone\n");
	add("b.yaml", "_merge: zone\n");
	add("zone.yaml", "port: 1\n");
	assert_result("_neighbours: [a]\nport: 1\na:\n  port: 1\n");
	assert_int_equal(tree.questions, 3);
}

TEST_WITH(every_file_is_asked_for_even_if_absent, set_up, tear_down)
{
	add("host.yaml", "_merge: zone\n");
	assert_problem("no file 'zone.yaml'");
	assert_int_equal(tree.questions, 1);
}

TEST_WITH(thirty_levels_of_double_references_are_instant, set_up, tear_down)
{
	add("host.yaml", "_merge: [a0, b0]\n");
	for (int i = 0; i < 30; i++) {
		for (const char *name = "ab"; *name; name++) {
			add(numbered(*name, i), "_merge: [a%d, b%d]\n%c%d: [%d]\nall: [%c%d]\n",
				i + 1, i + 1, *name, i, i, *name, i);
		}
	}
	add("a30.yaml", "end: a\n");
	add("b30.yaml", "end: b\n");
	assert_int_equal(merge(), 0);
	assert_string_equal(node_get(result->root, "end")->text.data, "a");
	assert_int_equal(node_get(result->root, "all")->seq.count, 60);
}

TEST_WITH(double_references_to_files_with_neighbours_are_instant, set_up, tear_down)
{
	add("host.yaml", "_merge: [a0, b0]\n");
	for (int i = 0; i < 30; i++) {
		for (const char *name = "ab"; *name; name++) {
			/*
			 * The host is being built, so the neighbour is left out; that must not
			 * hinder.
			 */
			add(numbered(*name, i), "_merge: [a%d, b%d]\n_neighbours: [host]\n", i + 1,
				i + 1);
		}
	}
	add("a30.yaml", "end: a\n");
	add("b30.yaml", "end: b\n");
	assert_int_equal(merge(), 0);
	assert_null(node_get(result->root, "host"));
	assert_string_equal(node_get(result->root, "end")->text.data, "a");
}

TEST_WITH(neighbours_that_all_name_each_other_end_at_a_limit, set_up, tear_down)
{
	char names[1024] = "";

	for (int i = 0; i < 100; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "n%d, ", i);
	add("host.yaml", "_neighbours: [n0]\n");
	for (int i = 0; i < 100; i++)
		add(numbered('n', i), "_neighbours: [%s]\n", names);
	assert_problem("refer to fewer");
}

TEST_WITH(a_file_is_built_anew_where_other_neighbours_are_left_out, set_up, tear_down)
{
	add("host.yaml", "_neighbours: [a, b]\n");
	add("a.yaml", "_neighbours: [b]\nname: a\n");
	add("b.yaml", "_neighbours: [a]\nname: b\n");
	assert_result("_neighbours: [a, b]\n"
		      "a:\n  _neighbours: [b]\n  name: a\n"
		      "  b:\n    _neighbours: [a]\n    name: b\n"
		      "b:\n  _neighbours: [a]\n  name: b\n"
		      "  a:\n    _neighbours: [b]\n    name: a\n");
}

static void fill_chain(int files)
{
	add("host.yaml", "_merge: c1\n");
	for (int i = 1; i < files - 1; i++)
		add(numbered('c', i), "_merge: c%d\n", i + 1);
	add(files == 128 ? "c127.yaml" : "c128.yaml", "end: 1\n");
}

TEST_WITH(as_many_files_may_stand_on_each_other_as_the_depth, set_up, tear_down)
{
	fill_chain(128);
	assert_result("end: 1\n");
}

TEST_WITH(one_file_more_is_a_problem, set_up, tear_down)
{
	fill_chain(129);
	assert_problem("more than 128 files");
	assert_non_null(strstr(problem.message, "0/host.yaml -> (120 more) -> 0/c121.yaml"));
	assert_string_equal(problem.source, "0/c127.yaml");
	assert_int_equal(problem.line, 1);
}

TEST_WITH(a_problem_of_the_environment_is_passed_on, set_up, tear_down)
{
	add("host.yaml", "_merge: zone\n");
	tree.failure = PROBLEM;
	assert_problem("broken");
	assert_string_equal(problem.source, "broken.yaml");
	assert_int_equal(problem.line, 3);
}

TEST_WITH(a_failure_of_the_environment_is_passed_on, set_up, tear_down)
{
	add("host.yaml", "_merge: zone\n");
	tree.failure = -EIO;
	assert_int_equal(merge(), -EIO);
}

TEST_WITH(nothing_can_be_named_without_an_environment, set_up, tear_down)
{
	add("host.yaml", "_merge: zone\n");
	tree.environment.find = NULL;
	assert_problem("no layers here");
	assert_int_equal(problem.line, 1);
	assert_int_equal(problem.column, 9);
}

TEST_WITH(one_file_by_two_names_is_one_file, set_up, tear_down)
{
	add("host.yaml", "_merge: [zones/zone, zone]\n");
	add("zones/zone.yaml", "_neighbours: [inner/host]\nport: 1\n");
	add("inner/host.yaml", "_merge: zones/zone\n");
	assert_problem("0/host.yaml -> 0/zones/zone.yaml -> 0/inner/host.yaml -> "
		       "0/zones/zone.yaml");
}

/* Returns "list:" with so many numbers; for free(3). */
static char *long_list(unsigned from, unsigned items)
{
	size_t size = items * 12 + 64;
	char *text = malloc(size);
	size_t len = (size_t)snprintf(text, size, "list:\n");

	for (unsigned i = 0; i < items; i++)
		len += (size_t)snprintf(text + len, size - len, "- %u\n", from + i);
	return text;
}

TEST_WITH(long_lists_cost_no_square, set_up, tear_down)
{
	for (unsigned i = 0; i < 3; i++) {
		char *text = long_list(i * 100000, 150000);

		pillar_tree_add(&tree, "host.yaml", text);
		free(text);
	}
	assert_int_equal(merge(), 0);
	assert_int_equal(node_get(result->root, "list")->seq.count, 350000);
}

TEST_WITH(many_files_that_add_an_item_each_cost_no_square, set_up, tear_down)
{
	char names[8192] = "";
	char *text = long_list(1000, 100000);

	for (int i = 0; i < 500; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "f%d, ", i);
	pillar_tree_add(&tree, "host.yaml", text);
	free(text);
	text = malloc(sizeof(names) + 64);
	snprintf(text, sizeof(names) + 64, "_merge: [%s]\nlist: [x, y, z]\n", names);
	pillar_tree_add(&tree, "host.yaml", text);
	free(text);
	for (int i = 0; i < 500; i++)
		add(numbered('f', i), "list: [%d]\n", i);
	assert_int_equal(merge(), 0);
	assert_int_equal(node_get(result->root, "list")->seq.count, 100503);
}

/* Small files, each of which combines all the large ones again and again. */
TEST_WITH(references_without_end_end_at_a_limit, set_up, tear_down)
{
	char *text = long_list(0, 50000);

	pillar_tree_add(&tree, "large.yaml", text);
	free(text);
	add("host.yaml", "_merge: f0\n");
	for (int i = 0; i < 100; i++) {
		char list[2048] = "";

		for (int j = i + 1; j <= 100; j++)
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "f%d, ", j);
		add(numbered('f', i), "_merge: [%s]\nlist: [own%d]\n", list, i);
	}
	add("f100.yaml", "_merge: large\n");
	assert_problem("steps");
}

/*
 * Reading an alias of a long text costs nothing, and comparing it costs all of the text each time.
 */
TEST_WITH(long_texts_in_long_lists_end_at_a_limit, set_up, tear_down)
{
	CLEANUP(freep) char *first = repeat("text: &t ", 4 << 20, "x", "\nlist:\n");
	CLEANUP(freep) char *text = repeat(first, 20000, "- *t\n", "");

	add("host.yaml", "list: [1]\n");
	pillar_tree_add(&tree, "host.yaml", text);
	assert_problem("steps");
	assert_string_equal(problem.source, "1/host.yaml");
}

TEST_WITH(a_referenced_file_brings_its_lower_layers, set_up, tear_down)
{
	add("host.yaml", "_merge: zone\nlist: [host]\n");
	add("zone.yaml", "list: [zone vendor]\nport: 1\n_merge: base\n");
	add("zone.yaml", "list: [zone]\nport: 2\n");
	add("base.yaml", "end: 1\n");
	assert_result("list: [host, zone, zone vendor]\nport: 2\nend: 1\n");
}

TEST_WITH(a_shared_value_is_not_changed_by_those_who_share_it, set_up, tear_down)
{
	const struct node *list;

	add("host.yaml", "_merge: [a, b]\n");
	add("a.yaml", "_merge: zone\nlist: [a]\n");
	add("b.yaml", "_merge: zone\nlist: [b]\nmap: {b: 1}\n");
	add("zone.yaml", "list: [zone]\nmap: {zone: 1}\n");
	assert_result("list: [a, zone, b]\nmap: {zone: 1, b: 1}\n");
	list = node_get(pillar_tree_get(&tree, "zone.yaml")->documents[0]->roots[0], "list");
	assert_int_equal(list->seq.count, 1);
}

TEST_WITH(what_does_not_combine_is_not_copied, set_up, tear_down)
{
	add("host.yaml", "_merge: zone\nown: {a: [1]}\n");
	add("zone.yaml", "theirs: {b: [2]}\n");
	assert_int_equal(merge(), 0);
	assert_ptr_equal(node_get(result->root, "own"),
		node_get(pillar_tree_get(&tree, "host.yaml")->documents[0]->roots[0], "own"));
	assert_ptr_equal(node_get(result->root, "theirs"),
		node_get(pillar_tree_get(&tree, "zone.yaml")->documents[0]->roots[0], "theirs"));
}

TEST_WITH(a_small_limit_of_depth_bounds_what_combines, set_up, tear_down)
{
	struct limits limits = LIMITS_DEFAULT;

	limits.depth = 3;
	add("host.yaml", "a: {b: {c: {x: 1}}}\n");
	add("host.yaml", "a: {b: {c: {y: 1}}}\n");
	assert_int_equal(merge_with(limits), PROBLEM);
	assert_non_null(strstr(problem.message, "deeper than 3"));
}
