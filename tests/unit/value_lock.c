/*
 * Locks (value_lock.h): rules that golden cases can't express. tests/model/lock.py has the contract
 * itself.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "merging.h"
#include "repeat.h"
#include "value_lock.h"

/* Two layers, "low" and "high", and a lock. */
static void set_locked(struct setting *setting, const char *lock, const char *low, const char *high)
{
	struct value_locks *locks;

	set(setting, "deep", NULL, TEXTS(low, high));
	setting->inputs[0].source = (struct source){"low/a.yaml", "low", 0};
	setting->inputs[1].source = (struct source){"high/a.yaml", "high", 1};
	setting->given = read_yaml(lock);
	assert_int_equal(value_locks_read(setting->given->roots[0], setting->given->arena, &locks,
				 &setting->problem),
		0);
	setting->options.locks = locks;
}

TEST(an_attempt_is_reported_with_both_places)
{
	CLEANUP(setting_fini) struct setting setting;
	char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX];

	set_locked(&setting, "{low: [a.b]}", "a: {b: 1}\n", "a: {b: 2, c: 3}\n");
	must_run(&setting);
	assert_string_equal(setting.result->text.data, "a: {b: 1, c: 3}\n");
	assert_int_equal(setting.result->refusals.count, 1);
	problem_format(&setting.result->refusals.items[0], text, sizeof(text));
	assert_string_equal(text,
		"high/a.yaml:1:8: 'a.b' is not changed: the layer 'low' locks it as low/a.yaml:1:8 "
		"has it (the lock is at app.yaml:1:8); change it in 'low', or remove it here "
		"('plyfs reset')");
}

TEST(an_only_source_above_the_lock_is_merged)
{
	CLEANUP(setting_fini) struct setting setting;

	set_locked(&setting, "{low: a}", "", "a: 1   # mine\nb: 2\n");
	setting.request.inputs++;
	setting.request.count = 1;
	must_run(&setting);
	assert_string_equal(setting.result->text.data, "b: 2\n");
}

TEST(an_only_source_of_the_locking_layer_is_served_byte_for_byte)
{
	CLEANUP(setting_fini) struct setting setting;

	set_locked(&setting, "{low: a}", "a:   1   # mine\n", "");
	setting.request.count = 1;
	must_run(&setting);
	assert_string_equal(setting.result->text.data, "a:   1   # mine\n");
}

TEST(of_very_many_attempts_some_are_reported_and_all_counted)
{
	CLEANUP(freep) char *low = repeat("", 1000, "k@: 1\n", "");
	CLEANUP(freep) char *high = repeat("", 1000, "k@: 2\n", "");
	CLEANUP(setting_fini) struct setting setting;

	set_locked(&setting, "{low: \"*\"}", low, high);
	must_run(&setting);
	assert_string_equal(setting.result->text.data, low);
	assert_int_equal(setting.result->refusals.count, REFUSALS_MAX);
	assert_int_equal(setting.result->refusals.left_out, 1000 - REFUSALS_MAX);
	assert_int_equal(merge_report_refusals(setting.result, &setting.problem), PROBLEM);
	assert_non_null(strstr(setting.problem.message, " (and 999 more that are refused)"));
}

/* Nine aliases of nine, ten levels deep: more values than the limit, which is reported. */
TEST(aliases_that_stand_for_too_much_are_an_error)
{
	static const char bomb[] = "a: &a [1,1,1,1,1,1,1,1,1]\n"
				   "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
				   "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
				   "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
				   "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
				   "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
				   "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n";
	CLEANUP(setting_fini) struct setting setting;

	set_locked(&setting, "{low: \"**.1\"}", bomb, "x: 1\n");
	assert_int_equal(run(&setting), PROBLEM);
	assert_non_null(strstr(setting.problem.message, "raise the limit 'nodes'"));
}

TEST(trees_of_the_greatest_depth_are_compared)
{
	CLEANUP(freep) char *begin = repeat("", 128, "{a: ", "");
	CLEANUP(freep) char *end = repeat("", 128, "}", "");
	CLEANUP(freep) char *low = repeat(begin, 1, "1", end);
	CLEANUP(freep) char *high = repeat(begin, 1, "2", end);
	CLEANUP(setting_fini) struct setting setting;

	set_locked(&setting, "{low: \"**.a.a.a.*\"}", low, high);
	setting.request.limits = LIMITS_DEFAULT;
	must_run(&setting);
	assert_int_equal(setting.result->refusals.count, 1);
}
