/*
 * Origins by table: a merge, one value of its result, and the origin of that value. Each row also
 * checks that noting origins changes nothing else.
 */
#pragma once

#include <stdio.h>

#include "merge.h"
#include "origin_story.h"
#include "reading.h"
#include "strategy.h"
#include "test.h"

#define SOURCES_MAX 4

/* A merge, a value of its result, and the expected origin of that value. */
struct row {
	const char *sources[SOURCES_MAX]; /* in order; their names are a, b, c, d */
	const char *path;                 /* as in story() */
	const char *expected;
	const char *decision; /* NULL: the rule says it */
	const char *options;  /* YAML; NULL: none */
};

/* A merge, and the memory that it borrows. */
struct setting {
	struct options options;
	struct document *given;
	struct merge_input inputs[SOURCES_MAX];
	struct merge_request request;
};

static inline void set(struct setting *setting, const char *strategy, const struct row *row)
{
	static const char *const names[] = {"a", "b", "c", "d"};

	*setting = (struct setting){.options = {.strategy = strategy_find(span_of(strategy))},
		.request = {.to = &format_yaml, .wants_origins = true}};
	if (row->options) {
		setting->given = read_yaml(row->options);
		setting->options.map = setting->given->roots[0];
	}
	setting->request.options = &setting->options;
	setting->request.inputs = setting->inputs;
	while (setting->request.count < SOURCES_MAX && row->sources[setting->request.count]) {
		size_t i = setting->request.count++;
		setting->inputs[i] =
			(struct merge_input){.source = {names[i], names[i], (unsigned)i},
				.format = &format_yaml,
				.text = span_of(row->sources[i])};
	}
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline void check_origin(struct setting *setting, const struct row *row)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL, *plain = NULL;
	struct problem problem = {0};

	if (merge_run(&setting->request, &result, &problem) != 0)
		fail_msg("%s:%u: %s", problem.source, problem.line, problem.message);
	CLEANUP(freep) char *got = story(result, row->path);
	if (strcmp(got, row->expected) != 0)
		fail_msg("%s: '%s' in\n%s:\n%s\n--- and not\n%s",
			row->decision ? row->decision : "", row->path, result->text.data, got,
			row->expected);

	setting->request.wants_origins = false;
	assert_int_equal(merge_run(&setting->request, &plain, &problem), 0);
	assert_string_equal(plain->text.data, result->text.data);
	assert_null(plain->origins);
	document_free(setting->given);
}

static inline void check_row(const char *strategy, const struct row *row)
{
	struct setting setting;

	set(&setting, strategy, row);
	check_origin(&setting, row);
}

#define CHECK(strategy, rows)                                                                      \
	for (size_t i = 0; i < COUNT(rows); i++)                                                   \
	check_row(strategy, &(rows)[i])
