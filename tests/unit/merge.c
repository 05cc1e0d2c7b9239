/*
 * Promises of merge_run() whatever the strategy: the format that is read, the format that is
 * written, and what is refused.
 */
#include "merge.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "merging.h"

/* Returns the last source's first root below a comment. */
static int give_last(struct merge *merge, struct merge_output *ret)
{
	const struct document *document = merge->inputs[merge->count - 1].document;

	assert_true(merge->request->limits.nodes > 0);
	ret->root = document->count > 0 ? document->roots[0] : NULL;
	ret->head = span_of("# head\n");
	return 0;
}

static int never(struct merge *merge, struct merge_output *ret)
{
	(void)merge;
	(void)ret;
	fail_msg("a verbatim source is not merged");
	return -EINVAL;
}

static bool is_always_verbatim(const struct merge_input *only)
{
	(void)only;
	return true;
}

static const struct strategy reading = {.name = "reading",
	.trees = STRATEGY_TREES_READ,
	.reads = STRATEGY_READS_SALT,
	.merge = give_last};
static const struct strategy verbatim = {.name = "verbatim",
	.trees = STRATEGY_TREES_READ,
	.is_verbatim = is_always_verbatim,
	.merge = never};

/* Allocates until there is no memory. */
static int for_ever(struct merge *merge, struct merge_output *ret)
{
	(void)ret;
	while (arena_alloc(merge->arena, 1000))
		;
	return -ENOMEM;
}

static const struct strategy endless = {.name = "endless", .merge = for_ever};

static void set_up(struct setting *setting, const struct strategy *strategy,
	const char *const *texts, const struct format *format)
{
	set(setting, "last", NULL, texts);
	setting->options.strategy = strategy;
	setting->request.to = format;
	for (size_t i = 0; i < setting->request.count; i++)
		setting->inputs[i].format = format;
}

static void assert_problem(struct setting *setting, const char *message)
{
	char shown[2 * PROBLEM_MESSAGE_MAX];

	assert_int_equal(run(setting), PROBLEM);
	assert_null(setting->result);
	problem_format(&setting->problem, shown, sizeof(shown));
	assert_string_equal(shown, message);
}

static void assert_text(struct setting *setting, const char *text)
{
	must_run(setting);
	assert_string_equal(setting->result->text.data, text);
	assert_int_equal(setting->result->text.len, strlen(text));
	merge_result_free(setting->result);
	setting->result = NULL;
}

TEST(sources_without_a_document_are_read_and_owned_by_the_result)
{
	struct setting setting;

	set_up(&setting, &reading, TEXTS("a: 1", "b: 2"), &format_yaml);
	assert_int_equal(run(&setting), 0);
	assert_int_equal(setting.result->owned_count, 2);
	assert_string_equal(setting.result->text.data, "# head\nb: 2\n");
	assert_non_null(setting.result->root);
	assert_int_equal(setting.result->root->source->rank, 1);
	assert_null(setting.inputs[0].document);
	merge_result_free(setting.result);
}

TEST(a_document_that_is_given_is_used)
{
	CLEANUP(document_freep) struct document *document = read_yaml("other: 3");
	struct setting setting;

	set_up(&setting, &reading, TEXTS("a: 1", "b: 2"), &format_yaml);
	setting.inputs[1].document = document;
	assert_int_equal(run(&setting), 0);
	assert_int_equal(setting.result->owned_count, 1);
	assert_ptr_equal(setting.result->root, document->roots[0]);
	merge_result_free(setting.result);
}

TEST(sources_are_read_as_the_strategy_and_the_request_say)
{
	struct setting setting;

	set_up(&setting, &reading, TEXTS("a: 1"), &format_yaml);
	setting.request.schema = NODE_YAML_1_2;
	setting.request.limits.depth = 7;
	struct read_options options = read_options_for(&setting.request, &format_json);
	assert_ptr_equal(options.format, &format_json);
	assert_int_equal(options.schema, NODE_YAML_1_2);
	assert_int_equal(options.limits.depth, 7);
	assert_true(options.keep_duplicates);
}

TEST(a_tree_is_read_from_a_file_of_any_name)
{
	struct setting setting;

	set_up(&setting, &reading, TEXTS("a: 1"), NULL);
	assert_ptr_equal(read_options_for(&setting.request, NULL).format, &format_yaml);
	assert_text(&setting, "# head\na: 1\n");

	setting.options.strategy = strategy_find(span_of("last"));
	assert_null(read_options_for(&setting.request, NULL).format);
}

TEST(limits_that_are_all_zero_are_the_default_ones)
{
	struct setting setting;

	set_up(&setting, &reading, TEXTS("a: 1"), &format_yaml);
	assert_int_equal(read_options_for(&setting.request, &format_yaml).limits.nodes,
		LIMITS_DEFAULT.nodes);
	assert_text(&setting, "# head\na: 1\n");
}

TEST(an_only_source_is_served_verbatim_where_the_formats_agree)
{
	struct setting setting;

	set_up(&setting, &verbatim, TEXTS("{ a:   [ # broken"), &format_yaml);
	assert_text(&setting, "{ a:   [ # broken");

	setting.request.to = NULL; /* A tree in a file of that name is YAML as well. */
	assert_text(&setting, "{ a:   [ # broken");

	setting.request.to = &format_json;
	assert_int_equal(run(&setting), PROBLEM);
	assert_string_equal(setting.problem.source, "a");
}

TEST(a_source_that_does_not_parse_is_a_problem_with_its_place)
{
	struct setting setting;

	set_up(&setting, &reading, TEXTS("a: 1", "b: 2\n\tc: 3"), &format_yaml);
	assert_int_equal(run(&setting), PROBLEM);
	assert_string_equal(setting.problem.source, "b");
	assert_int_equal(setting.problem.line, 2);
}

TEST(json_has_no_head_and_nothing_is_null)
{
	struct setting setting;

	set_up(&setting, &reading, TEXTS("[1]"), &format_json);
	assert_text(&setting, "[\n  1\n]\n");
	set_up(&setting, &reading, TEXTS(""), &format_json);
	assert_text(&setting, "null\n");
	set_up(&setting, &reading, TEXTS(""), &format_yaml);
	assert_text(&setting, "# head\n");
}

TEST(bytes_come_out_as_they_went_in_and_end_with_nul)
{
	struct setting setting;

	set_up(&setting, strategy_find(span_of("last")), TEXTS("x", "y"), NULL);
	setting.inputs[1].text = (struct span){"\0\xff\r\nrest", 4};
	assert_int_equal(run(&setting), 0);
	assert_int_equal(setting.result->text.len, 4);
	assert_memory_equal(setting.result->text.data, "\0\xff\r\n", 5);
	assert_null(setting.result->root);
	merge_result_free(setting.result);

	setting.inputs[1].text = (struct span){NULL, 0};
	assert_text(&setting, "");
}

TEST(a_result_over_a_limit_is_a_problem_of_the_merged_file)
{
	struct setting setting;

	set_up(&setting, strategy_find(span_of("concat")), TEXTS("123", "456"), NULL);
	setting.request.limits = LIMITS_DEFAULT;
	setting.request.limits.result_bytes = 6;
	setting.request.path = "motd";
	assert_problem(&setting,
		"motd: the merged file has 7 bytes, more than 6; raise the limit 'result'");
	setting.request.limits.result_bytes = 7;
	assert_text(&setting, "123\n456");
	setting.request.path = NULL;
	setting.request.limits.result_bytes = 6;
	assert_problem(
		&setting, "b: the merged file has 7 bytes, more than 6; raise the limit 'result'");
}

TEST(aliases_of_too_many_values_for_origins_are_a_problem)
{
	static const char bomb[] = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
				   "b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
				   "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n"
				   "d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
				   "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\n"
				   "f: [*e, *e, *e, *e, *e, *e, *e]\n";
	struct setting setting;

	set_up(&setting, &reading, TEXTS(bomb, bomb, bomb), &format_yaml);
	setting.request.path = "app.yaml";
	setting.request.wants_origins = true;
	assert_problem(&setting,
		"app.yaml: the sources' aliases stand for so many values that plyfs can't record "
		"where each is from; use fewer aliases");
}

TEST(what_takes_too_long_is_refused)
{
	struct setting setting;

	set_up(&setting, &endless, TEXTS("1"), &format_yaml);
	setting.request.path = "app.yaml";
	setting.request.limits = LIMITS_DEFAULT;
	setting.request.limits.time_ms = 2;
	assert_problem(&setting,
		"app.yaml: takes longer than 2 ms; make it smaller or simpler, or raise the limit "
		"'time'");
}

TEST(what_is_cancelled_ends_at_once)
{
	atomic_bool is_cancelled = true;
	struct setting setting;

	set_up(&setting, &endless, TEXTS("1"), &format_yaml);
	setting.request.is_cancelled = &is_cancelled;
	assert_int_equal(run(&setting), -ECANCELED);
	set_up(&setting, &reading, TEXTS("1"), &format_yaml);
	setting.request.is_cancelled = &is_cancelled;
	assert_int_equal(run(&setting), -ECANCELED);
	is_cancelled = false;
	assert_int_equal(run(&setting), 0);
	merge_result_free(setting.result);
}

/* A file that takes the thread some 30 ms to find. */
static int find_slowly(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem)
{
	clock_t end = clock() + CLOCKS_PER_SEC * 30 / 1000;

	(void)context, (void)directory, (void)name, (void)ret, (void)count, (void)problem;
	while (clock() < end)
		;
	return MERGE_ABSENT;
}

/* Asks for a file, and then takes a little memory. */
static int ask(struct merge *merge, struct merge_output *ret)
{
	const struct merge_environment *environment = merge->request->environment;
	const struct merge_input *found;
	size_t count;

	assert_int_equal(
		environment->find(environment->context, "", "x", &found, &count, merge->problem),
		MERGE_ABSENT);
	*ret = (struct merge_output){0};
	for (size_t i = 0; i < 100; i++)
		if (!arena_alloc(merge->arena, 1000))
			return -ENOMEM;
	return 0;
}

TEST(time_that_others_take_to_find_a_file_is_not_the_merges)
{
	static const struct strategy asking = {.name = "asking", .merge = ask};
	const struct merge_environment environment = {.find = find_slowly};
	struct setting setting;

	set_up(&setting, &asking, TEXTS("1"), &format_yaml);
	setting.request.environment = &environment;
	setting.request.limits = LIMITS_DEFAULT;
	setting.request.limits.time_ms = 20;
	assert_int_equal(run(&setting), 0);
	merge_result_free(setting.result);
}
