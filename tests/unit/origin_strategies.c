/*
 * Origins of values that deep and salt merge: sources in, and the origin of one value.
 */
#include <stdio.h>
#include <stdlib.h>

#include "origin_story.h"
#include "reading.h"
#include "strategy.h"
#include "test.h"

#define LAYERS_MAX 4

struct row {
	const char *options;
	const char *layers[LAYERS_MAX];
	const char *path;
	const char *expected;
};

static void check_row(const char *strategy, const struct row *row)
{
	CLEANUP(document_freep) struct document *document = read_yaml(row->options);
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	static const char *const names[LAYERS_MAX] = {"a", "b", "c", "d"};
	const struct options options = {strategy_find(span_of(strategy)), document->roots[0]};
	struct merge_input inputs[LAYERS_MAX] = {0};
	struct merge_request request = {
		.options = &options, .inputs = inputs, .wants_origins = true};
	struct problem problem;

	for (size_t i = 0; i < LAYERS_MAX && row->layers[i]; i++, request.count++)
		inputs[i] = (struct merge_input){
			.source = {.name = names[i], .layer = "", .rank = (unsigned)i},
			.text = span_of(row->layers[i])};
	if (merge_run(&request, &result, &problem) != 0)
		fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
	if (strcmp(story(result, row->path), row->expected) != 0)
		fail_msg("%s of\n%s\n---\n%s: expected:\n%s\nand got:\n%s", row->path,
			row->layers[0], row->layers[1] ? row->layers[1] : "", row->expected,
			story(result, row->path));
}

#define CHECK_ROWS(strategy, rows)                                                                 \
	for (size_t i = 0; i < sizeof(rows) / sizeof(*(rows)); i++)                                \
	check_row(strategy, &(rows)[i])

TEST(deep_reports_the_winner)
{
	static const struct row rows[] = {
		{"{}", {"a: 1", "b: 1", "a: 2"}, "b", "b:1:4"},
		{"{}", {"a: 1", "x: 1\na: 2", "a: 3"}, "a",
			"c:1:4\nlost a:1:4 the later value replaces\n"
			"lost b:2:4 the later value replaces"},
		{"{}", {"a: 1", "a:"}, "a", "a:1:4\nlost b:1:3 an empty value has no opinion"},
		{"{}", {"a: {x: 1}", "a: {y: 1}"}, "a", "a:1:4\npart b:1:4 maps merge key by key"},
		{"{}", {"a: {x: 1}", "a: {x: 2}"}, "a/x",
			"b:1:8\nlost a:1:8 the later value replaces"},
		{"{}", {"a: {x: 1}", "a: {y: 1}", "a: 5"}, "a",
			"c:1:4\nlost b:1:4 a later value of another kind replaces\n"
			"lost a:1:4 a later value of another kind replaces"},
		{"{}", {"a: {x: 1}", "a: !replace {y: 1}"}, "a", "b:1:4\nlost a:1:4 !replace"},
		{"{}", {"x: &k {z: 1}\ny: *k", "x: {z: 2}"}, "x/z",
			"b:1:8\nlost a:1:11 the later value replaces"},
		{"{}", {"x: &k {z: 1}\ny: *k", "x: {z: }"}, "x/z",
			"a:1:11\nlost b:1:8 an empty value has no opinion"},
		{"{}", {"x: &k {z: 1}\ny: *k", "x: {z: }"}, "y/z", "a:1:11"},
		{"{}", {"a: {x: 1, y: 2}", "a: {x: !delete }"}, "a/x",
			"gone\nlost a:1:8 the value is deleted by b:1:8\n"
			"removed b:1:8 the value is deleted by b:1:8"},
		{"{}", {"a: {x: 1, y: 2}", "a: {x: !delete }", "a: {x: 3}"}, "a/x",
			"c:1:8\nlost a:1:8 the value is deleted by b:1:8\n"
			"removed b:1:8 the value is deleted by b:1:8"},
	};

	CHECK_ROWS("deep", rows);
}

TEST(deep_reports_lists)
{
	static const struct row rows[] = {
		{"{}", {"a: [1]", "a: [2]"}, "a", "b:1:4\nlost a:1:4 lists: replace"},
		{"{lists: append}", {"a: [1]", "a: [2]"}, "a", "a:1:4\npart b:1:4 lists: append"},
		{"{lists: append}", {"a: [1]", "a: [2]"}, "a/1", "b:1:5"},
		{"{lists: append}", {"a: [1]", "a: []"}, "a", "a:1:4\npart b:1:4 lists: append"},
		{"{lists: append}", {"a: [1]", "a: [2]", "a: 3"}, "a",
			"c:1:4\nlost b:1:4 a later value of another kind replaces\n"
			"lost a:1:4 a later value of another kind replaces"},
		{"{}", {"a: [1]", "a: !prepend [2]"}, "a", "a:1:4\npart b:1:4 !prepend"},
		{"{lists: {'*': {by: n}}}", {"a: [{n: x, k: 1}]", "a: [{n: y}, {n: x, k: 2}]"},
			"a/0/k", "b:1:23\nlost a:1:15 the later value replaces"},
		{"{lists: {'*': {by: n}}}", {"a: [{n: x, k: 1}]", "a: [{n: y}, {n: x, k: 2}]"},
			"a/0", "a:1:5\npart b:1:13 maps merge key by key"},
	};

	CHECK_ROWS("deep", rows);
}

TEST(salt_reports_which_marks_decided)
{
	static const struct row rows[] = {
		{"{}", {"a: !aggr-map {x: 1}", "a: !aggr-map {y: 1}"}, "a",
			"a:1:4\npart b:1:4 both are !aggr-map"},
		{"{}", {"a: !aggr-map {x: 1}", "a: !aggr-map {x: 2}"}, "a/x",
			"b:1:18\nlost a:1:18 not marked on both sides: the later value replaces"},
		{"{}", {"a: !aggr-seq [1]", "a: !aggr-seq [2]"}, "a",
			"a:1:4\n"
			"part b:1:4 both are !aggr-seq: items not there yet are appended"},
		{"{}", {"a: !aggr-seq [1]", "a: !aggr-seq [2]"}, "a/1", "b:1:15"},
		{"{}", {"a: !aggr-scalar x", "a: !aggr-scalar y", "a: !aggr-scalar z"}, "a",
			"a:1:4\n"
			"part b:1:4 both are !aggr-scalar: items not there yet are appended\n"
			"part c:1:4 both are !aggr-scalar: items not there yet are appended"},
		{"{}", {"a: !aggr-seq [x]", "a: !aggregate y"}, "a",
			"a:1:4\npart b:1:4 both are marked: items not there yet are appended"},
		{"{}", {"!aggregate a: {x: 1}", "!aggregate a: {y: 1}"}, "a",
			"a:1:15\npart b:1:15 both are !aggregate"},
		{"{}", {"a: !aggr-seq [1]", "a: [2]"}, "a",
			"b:1:4\nlost a:1:4 not marked on both sides: the later value replaces"},
		{"{}", {"a: !aggr-seq [1]", "a: 2"}, "a",
			"b:1:4\nlost a:1:4 not marked on both sides: the later value replaces"},
		{"{}", {"a: {x: 1}", "a: 2"}, "a",
			"b:1:4\nlost a:1:4 a later value of another kind replaces"},
		{"{}", {"a: 1", "b: 2"}, "", "a:1:1\npart b:1:1 documents are aggregated"},
		{"{}", {"- 1", "- 2"}, "",
			"a:1:1\n"
			"part b:1:1 documents are aggregated: items not there yet are appended"},
		{"{tags: true}", {"a: !aggr-map {x: 1}", "a: !aggr-map {y: 1}"}, "a",
			"a:1:4\npart b:1:4 both are !aggr-map"},
	};

	CHECK_ROWS("salt", rows);
}

TEST(salt_reports_which_level_decided)
{
	static const struct row rows[] = {
		{"{level: 2}", {"a: {x: 1}", "a: {y: 1}"}, "a",
			"a:1:4\npart b:1:4 level 2 is on: aggregated"},
		{"{level: 1}", {"a: {x: 1}", "a: {y: 1}"}, "a",
			"b:1:4\n"
			"lost a:1:4 only the later map's keys count (not marked)"},
		{"{level: '001'}", {"a: !aggr-map {k: 1}", "a: !aggr-map {k: 2}"}, "a/k",
			"a:1:18\npart b:1:18 level 3 is on: items not there yet are appended"},
		{"{level: true}", {"a: [1]", "a: [1, 2]", "a: [3]"}, "a",
			"a:1:4\npart b:1:4 level 2 is on: items not there yet are appended\n"
			"part c:1:4 level 2 is on: items not there yet are appended"},
		{"{level: 2}", {"a: {x: 1}\nb: {x: 1}", "a: {y: 1}\nb: {y: 1}"}, "b",
			"a:2:4\npart b:2:4 level 2 is on: aggregated"},
		{"{level: 2}", {"a: {x: 1}\na: {y: 1}", "a: {z: 1}"}, "a",
			"a:2:4\n"
			"lost a:1:4 only the later map's keys count (not marked)\n"
			"part b:1:4 level 2 is on: aggregated"},
		{"{level: true}", {"a: [1]", "a: {x: 1}"}, "a",
			"b:1:4\nlost a:1:4 a later value of another kind replaces"},
	};

	CHECK_ROWS("salt", rows);
}

TEST(salt_reports_keys_that_are_not_looked_at)
{
	static const struct row rows[] = {
		{"{}", {"a: {x: 1, y: 1}", "a: {y: 2}"}, "a/x",
			"gone\n"
			"lost a:1:8 only the later map's keys count (not marked)"},
		{"{}", {"a: {x: 1, y: 1}", "a: {y: 2}", "a: {y: 3}"}, "a/x",
			"gone\n"
			"lost a:1:8 only the later map's keys count (not marked)"},
		{"{}", {"a: {x: 1, y: 1}", "a: {y: 2}", "a: {x: 3}"}, "a/x",
			"c:1:8\n"
			"lost a:1:8 only the later map's keys count (not marked)"},
		{"{}", {"a: {x: !aggr-seq [1], y: 1}", "a: {x: !aggr-seq [2]}"}, "a",
			"b:1:4\n"
			"part a:1:4 only the later map's keys count (not marked)"},
	};

	CHECK_ROWS("salt", rows);
}

TEST(salt_reports_keys_that_come_twice)
{
	static const struct row rows[] = {
		{"{}", {"a: 1\na: 2\na: 3", "b: 1"}, "a",
			"a:3:4\n"
			"lost a:1:4 not marked on both sides: the later value replaces\n"
			"lost a:2:4 not marked on both sides: the later value replaces"},
		{"{}", {"a: 1\n!reset a: 2"}, "a", "a:2:11\nlost a:1:4 !reset on the key by a:2:1"},
		{"{}", {"a: !aggr-seq [1]\na: !aggr-seq [2]", "a: !aggr-seq [3]"}, "a",
			"a:1:4\n"
			"part a:2:4 both are !aggr-seq: items not there yet are appended\n"
			"part b:1:4 both are !aggr-seq: items not there yet are appended"},
		{"{}", {"a: !aggr-seq [1]", "a: !aggr-seq [2]\na: !aggr-seq [3]"}, "a",
			"a:1:4\n"
			"part b:2:4 both are !aggr-seq: items not there yet are appended\n"
			"part b:1:4 both are !aggr-seq: items not there yet are appended"},
	};

	CHECK_ROWS("salt", rows);
}
