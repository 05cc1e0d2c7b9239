/* A strategy's options are checked against its table, and a mistake is reported with its place. */
#include "option.h"

#include <stdlib.h>

#include "reading.h"
#include "strategy.h"
#include "test.h"

static const struct option_spec specs[] = {
	{"tags", OPTION_BOOL, "false", NULL, "a truth"},
	{"deep", OPTION_BOOL, "true", NULL, "another one"},
	{"separator", OPTION_TEXT, "--", NULL, "a text"},
	{"mergers", OPTION_CHOICE, "once", "once|stack", "a choice"},
	{"level", OPTION_VALUE, "", NULL, "anything"},
	{0},
};

static int refuse_odd_levels(const struct options *options, struct problem *problem)
{
	const struct node *level = options_get(options, "level");

	if (level && node_is_scalar(level) && span_is(level->text, "odd"))
		return problem_at(problem, level, "the level is odd");
	return 0;
}

static const struct strategy strategy = {
	.name = "test", .options = specs, .check = refuse_odd_levels};
static const struct strategy plain = {.name = "plain"};

static void assert_refused(const struct strategy *by, const char *text, const char *message)
{
	CLEANUP(document_freep) struct document *document = read_yaml(text);
	const struct options options = {by, document->roots[0]};
	struct problem problem = {0};
	char shown[2 * PROBLEM_MESSAGE_MAX];

	assert_int_equal(options_check(&options, &problem), PROBLEM);
	problem_format(&problem, shown, sizeof(shown));
	assert_string_equal(shown, message);
}

static void assert_accepted(const struct strategy *by, const char *text)
{
	CLEANUP(document_freep) struct document *document = read_yaml(text);
	const struct options options = {by, document->count ? document->roots[0] : NULL};
	struct problem problem = {0};

	if (options_check(&options, &problem) != 0)
		fail_msg("%s: %s", text, problem.message);
}

TEST(what_the_table_allows_is_accepted)
{
	assert_accepted(&strategy, "");
	assert_accepted(&strategy, "{}");
	assert_accepted(&strategy, "{tags: yes, deep: false, separator: 1, mergers: stack}");
	assert_accepted(&strategy, "{level: [1, {2: 3}]}");
	assert_accepted(&plain, "{}");
}

TEST(an_empty_option_is_not_given)
{
	CLEANUP(document_freep)
	struct document *document = read_yaml("{deep: , separator: , mergers: , level: }");
	const struct options options = {&strategy, document->roots[0]};
	struct problem problem;

	assert_int_equal(options_check(&options, &problem), 0);
	assert_true(options_bool(&options, "deep"));
	assert_string_equal(options_text(&options, "separator").data, "--");
	assert_null(options_get(&options, "level"));
}

TEST(defaults_hold_without_a_map)
{
	const struct options options = {&strategy, NULL};
	struct problem problem;

	assert_int_equal(options_check(&options, &problem), 0);
	assert_false(options_bool(&options, "tags"));
	assert_true(options_bool(&options, "deep"));
	assert_string_equal(options_text(&options, "mergers").data, "once");
	assert_null(options_get(&options, "mergers"));
}

TEST(what_is_given_holds_over_the_default)
{
	CLEANUP(document_freep)
	struct document *document = read_yaml("{deep: no, separator: '', mergers: stack}");
	const struct options options = {&strategy, document->roots[0]};

	assert_false(options_bool(&options, "deep"));
	assert_string_equal(options_text(&options, "separator").data, "");
	assert_string_equal(options_text(&options, "mergers").data, "stack");
}

TEST(an_unknown_option_is_refused_with_those_there_are)
{
	assert_refused(&strategy, "{tags: true,\n tag: true}",
		"app.yaml:2:2: the strategy 'test' has no option 'tag'; it has: tags, deep, "
		"separator, mergers, level");
	assert_refused(&strategy, "{? [tags] : true}",
		"app.yaml:1:4: an option's name is a word; 'test' has: tags, deep, separator, "
		"mergers, level");
	assert_refused(&plain, "{tags: true}",
		"app.yaml:1:2: the strategy 'plain' takes no options; leave them out");
}

TEST(a_value_of_another_type_is_refused_with_what_is_allowed)
{
	assert_refused(
		&strategy, "{tags: maybe}", "app.yaml:1:8: the option 'tags' is true or false");
	assert_refused(&strategy, "{tags: 1}", "app.yaml:1:8: the option 'tags' is true or false");
	assert_refused(
		&strategy, "{tags: [true]}", "app.yaml:1:8: the option 'tags' is true or false");
	assert_refused(&strategy, "{separator: [x]}",
		"app.yaml:1:13: the option 'separator' is a text, and this is a list; write a "
		"text");
	assert_refused(&strategy, "{mergers: onc}",
		"app.yaml:1:11: the option 'mergers' can't be 'onc'; it is one of: once, stack");
	assert_refused(&strategy, "{mergers: once|stack}",
		"app.yaml:1:11: the option 'mergers' can't be 'once|stack'; it is one of: once, "
		"stack");
	assert_refused(&strategy, "{mergers: {}}",
		"app.yaml:1:11: the option 'mergers' is one of: once, stack; and this is a map");
	assert_refused(&strategy, "[tags]", "app.yaml:1:1: options are a map, and this is a list");
}

TEST(the_strategy_itself_has_the_last_word)
{
	assert_refused(&strategy, "{level: odd}", "app.yaml:1:9: the level is odd");
}

TEST(every_strategy_is_found_by_its_name)
{
	const char *names = strategy_names();
	size_t len = 0;

	for (const struct strategy *const *at = strategy_all(); *at; at++) {
		assert_ptr_equal(strategy_find(span_of((*at)->name)), *at);
		assert_non_null((*at)->summary);
		assert_non_null((*at)->merge);
		assert_memory_equal(names + len, (*at)->name, strlen((*at)->name));
		len += strlen((*at)->name) + strlen(", ");
	}
	assert_int_equal(strlen(names), len - strlen(", "));
	assert_null(strategy_find(span_of("deepest")));
	assert_null(strategy_find(span_of("")));
}

/* options_bool() and options_text() use the text of the default. */
TEST(every_default_is_of_its_type)
{
	for (const struct strategy *const *at = strategy_all(); *at; at++) {
		const struct option_spec *spec = (*at)->options;
		for (; spec && spec->name; spec++) {
			assert_non_null(spec->summary);
			assert_non_null(spec->fallback);
			assert_true((spec->type == OPTION_CHOICE) == (spec->choices != NULL));
			if (spec->type == OPTION_BOOL)
				assert_true(strcmp(spec->fallback, "true") == 0 ||
					    strcmp(spec->fallback, "false") == 0);
		}
	}
}
