/* The text of an error, and of the sources of a version. */
#include "fault.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "test.h"
#include "version.h"

TEST(ages_are_words)
{
	static const struct {
		long long seconds;
		const char *words;
	} ages[] = {{-5, "a moment"}, {0, "a moment"}, {1, "1 second"}, {59, "59 seconds"},
		{60, "1 minute"}, {3599, "59 minutes"}, {3600, "1 hour"}, {86399, "23 hours"},
		{86400, "1 day"}, {864000, "10 days"}};
	char text[FAULT_AGE_MAX];

	for (size_t i = 0; i < sizeof(ages) / sizeof(*ages); i++) {
		fault_age(ages[i].seconds, text);
		assert_string_equal(text, ages[i].words);
	}
	fault_age(INT64_MAX, text);
	assert_non_null(strstr(text, " days"));
}

TEST(names_of_what_is_served_are_read_back)
{
	for (enum fault_serves i = 0; i <= FAULT_SERVES_OTHER_SETTINGS; i++)
		assert_int_equal(fault_serves_of(fault_serves_name(i)), i);
	assert_int_equal(fault_serves_of("something new"), FAULT_SERVES_NOTHING);
}

/* An error that began 100 s ago; the version that is served is 5 minutes old. */
static void fill(struct fault *fault, enum fault_serves serves)
{
	*fault = (struct fault){.since = {1000000000, 0}, .serves = serves};
	clock_gettime(CLOCK_REALTIME, &fault->made);
	fault->made.tv_sec -= 301;
	problem_set(&fault->problem, "site/app.yaml", 3, 7, "is wrong");
}

TEST(a_line_reports_all_of_it)
{
	struct fault fault;
	char text[FAULT_TEXT_MAX];

	fill(&fault, FAULT_SERVES_LAST_GOOD);
	fault_text(&fault, "app.yaml", text);
	assert_string_equal(text,
		"site/app.yaml:3:7: is wrong (app.yaml, since 2001-09-09T01:46:40Z; the version of "
		"5 minutes ago is served)");
	fill(&fault, FAULT_SERVES_SETTINGS);
	fault_text(&fault, NULL, text);
	assert_string_equal(text,
		"site/app.yaml:3:7: is wrong (since 2001-09-09T01:46:40Z; the settings of 5 "
		"minutes ago are in force)");
	fill(&fault, FAULT_SERVES_NOTHING);
	fault_text(&fault, "a\n\x1b", text);
	assert_string_equal(text,
		"site/app.yaml:3:7: is wrong (a\\x0A\\x1B, since 2001-09-09T01:46:40Z; reading it "
		"fails until this is repaired)");
}

TEST(the_longest_line_fits)
{
	struct fault fault;
	char text[FAULT_TEXT_MAX], *path = malloc(5000);

	assert_non_null(path);
	memset(path, '\x01', 4999);
	path[4999] = '\0';
	fill(&fault, FAULT_SERVES_LAST_GOOD);
	problem_set(&fault.problem, path, UINT32_MAX, UINT32_MAX, "%s", path);
	fault_text(&fault, path, text);
	assert_non_null(strstr(text, "; the version of 5 minutes ago is served)"));
	free(path);
}

TEST(sources_stand_between_colons)
{
	CLEANUP(freep) char *text = NULL, *empty = NULL;
	struct source_list list = {0};

	source_list_add(&list, "low/app.yaml");
	source_list_add(&list, "C:\\app.yaml");
	source_list_add(&list, "x\ny");
	assert_int_equal(source_list_take(&list, &text), 0);
	assert_string_equal(text, "low/app.yaml:C\\:\\\\app.yaml:x\ny");
	assert_int_equal(source_list_take(&list, &empty), 0);
	assert_string_equal(empty, "");
}

TEST(sources_that_do_not_fit_are_reported_as_such)
{
	CLEANUP(freep) char *text = NULL;
	struct source_list list = {0};
	char name[4096];

	memset(name, ':', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 100; i++)
		source_list_add(&list, name);
	assert_int_equal(source_list_take(&list, &text), 0);
	assert_in_range(strlen(text), 40000, SOURCE_LIST_MAX + 4);
	assert_string_equal(text + strlen(text) - 6, "\\::…");
}
