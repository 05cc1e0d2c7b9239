/*
 * Origins by table: a merge, one value of its result, and the origin of that value. Each row also
 * checks that noting origins changes nothing else.
 */
#pragma once

#include <stdio.h>

#include "merging.h"
#include "origin_story.h"

/* A merge, a value of its result, and the expected origin of that value. */
struct row {
	const char *sources[SOURCES_MAX]; /* in order; their names are a, b, c, d */
	const char *path;                 /* as in story() */
	const char *expected;
	const char *decision; /* NULL: the rule says it */
	const char *options;  /* YAML; NULL: none */
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline void set_row(struct setting *setting, const char *strategy, const struct row *row)
{
	set(setting, strategy, row->options, row->sources);
	setting->request.wants_origins = true;
}

static inline void check_origin(struct setting *setting, const struct row *row)
{
	CLEANUP(merge_result_freep) struct merge_result *plain = NULL;

	must_run(setting);
	CLEANUP(freep) char *got = story(setting->result, row->path);
	if (strcmp(got, row->expected) != 0)
		fail_msg("%s: '%s' in\n%s:\n%s\n--- and not\n%s",
			row->decision ? row->decision : "", row->path, setting->result->text.data,
			got, row->expected);

	setting->request.wants_origins = false;
	assert_int_equal(merge_run(&setting->request, &plain, &setting->problem), 0);
	assert_string_equal(plain->text.data, setting->result->text.data);
	assert_null(plain->origins);
	setting_fini(setting);
}

static inline void check_row(const char *strategy, const struct row *row)
{
	struct setting setting;

	set_row(&setting, strategy, row);
	check_origin(&setting, row);
}

#define CHECK(strategy, rows)                                                                      \
	for (size_t i = 0; i < COUNT(rows); i++)                                                   \
	check_row(strategy, &(rows)[i])
