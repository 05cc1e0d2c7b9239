/*
 * cloud-init where a golden case can't show it: names in odd spelling, ownership of results, and
 * that hostile user data is refused instead of taking long.
 */

#include <stdio.h>

#include "cleanup.h"
#include "merge.h"
#include "repeat.h"
#include "strategy.h"
#include "strategy/cloud_init/cloud_how.h"
#include "test.h"
#include "untimed.h"

static int merge_text(struct span text, struct merge_result **ret, struct problem *problem)
{
	const struct options options = {.strategy = strategy_find(span_of("cloud-init"))};
	const struct merge_input input = {
		.source = {.name = "user-data", .layer = "site"}, .format = NULL, .text = text};
	const struct merge_request request = {.options = &options,
		.inputs = &input,
		.count = 1,
		.to = &format_yaml,
		.limits = limits_untimed()};

	return merge_run(&request, ret, problem);
}

/* `first`, then `count` times `part`, as entries of an archive. */
static char *archive(const char *first, size_t count, const char *part, struct span *ret)
{
	char *text = NULL;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	assert_non_null(stream);
	fprintf(stream, "#cloud-config-archive\n- |\n  #cloud-config\n  %s\n", first);
	for (size_t i = 0; i < count; i++)
		fprintf(stream, "- |\n  %s\n", part);
	assert_int_equal(fclose(stream), 0);
	*ret = (struct span){text, len};
	return text;
}

static void expect_refusal(const char *first, size_t count, const char *part, const char *reason)
{
	struct merge_result *result = NULL;
	struct problem problem = {0};
	struct span text;
	CLEANUP(freep) char *memory = archive(first, count, part, &text);

	assert_ptr_equal(text.data, memory);
	assert_int_equal(merge_text(text, &result, &problem), PROBLEM);
	assert_string_equal(problem.source, "user-data");
	assert_true(problem.line > 0);
	if (!strstr(problem.message, reason))
		fail_msg("%s", problem.message);
}

TEST(moving_a_long_list_for_each_of_many_parts_is_refused)
{
	CLEANUP(freep) char *list = repeat("a: [", 900000, "1,", "]");

	expect_refusal(list, 4000,
		"#cloud-config\n  a: [2]\n  merge_how: dict(recurse_list)+list(prepend)",
		"too much work");
}

TEST(copying_a_large_document_for_each_of_many_patches_is_refused)
{
	CLEANUP(freep) char *list = repeat("a: [", 900000, "1,", "]");

	expect_refusal(list, 2000,
		"#cloud-config-jsonp\n  [{\"op\": \"add\", \"path\": \"/b\", \"value\": 1}]\n"
		"- |\n  #cloud-config\n  c: 1",
		"too much work");
}

TEST(a_patch_that_doubles_a_value_many_times_is_refused)
{
	expect_refusal("a: {b: [1, 2, 3]}", 60,
		"#cloud-config-jsonp\n  [{\"op\": \"copy\", \"from\": \"/a\", \"path\": \"/c\"},\n"
		"  {\"op\": \"move\", \"from\": \"/a\", \"path\": \"/c/b/0\"},\n"
		"  {\"op\": \"copy\", \"from\": \"/c\", \"path\": \"/a\"}]",
		"too much work");
}

TEST(more_than_4096_parts_are_refused)
{
	expect_refusal("a: 1", 4097, "a: 2", "too many parts");
}

TEST(aliases_that_make_many_parts_of_one_are_counted)
{
	char large[200000];

	memset(large, '#', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	struct merge_result *result = NULL;
	struct problem problem = {0};
	CLEANUP(freep) char *text = NULL;
	size_t len;
	FILE *stream = open_memstream(&text, &len);
	fprintf(stream, "#cloud-config-archive\n- &a |\n  a: 1\n  %s\n", large);
	for (int i = 0; i < 4000; i++)
		fprintf(stream, "- *a\n");
	fclose(stream);
	assert_int_equal(merge_text((struct span){text, len}, &result, &problem), PROBLEM);
	assert_non_null(strstr(problem.message, "too much work"));
}

TEST(what_a_part_said_lives_as_long_as_the_result)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	struct problem problem = {0};
	struct span text;
	CLEANUP(freep) char *memory = archive("a: one", 3, "b: [two, 0644]", &text);

	assert_int_equal(merge_text(text, &result, &problem), 0);
	memset(memory, 'x', text.len);
	assert_string_equal(result->text.data, "#cloud-config\na: one\nb: [two, 0644]\n");
	assert_string_equal(node_get(result->root, "a")->text.data, "one");
	assert_true(result->owned_count >= 4);
}

static struct how parse(struct arena *arena, const char *text)
{
	const struct how_place place = {0};
	struct problem problem;
	struct how how = {0};

	assert_int_equal(how_add_text(&how, span_of(text), &place, arena, &problem), 0);
	return how;
}

TEST(names_are_stripped_as_python_strips_them)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;

	assert_int_equal(arena_new(&arena), 0);
	/* A no-break space, a form feed, an ideographic space. */
	struct how how = parse(
		arena, "+\xC2\xA0LIST( \f\xE3\x80\x80No-Replace,, recurse_str )\n+ +m_Dict()");
	assert_int_equal(how.count, 2);
	assert_true(span_is(how.entries[0].name, "list"));
	assert_int_equal(how.entries[0].count, 2);
	assert_true(how_has(&how.entries[0], "no_replace"));
	assert_true(how_has(&how.entries[0], "recurse_str"));
	assert_false(how_has(&how.entries[0], "replace"));
	assert_true(span_is(how.entries[1].name, "dict"));
	assert_int_equal(how.entries[1].count, 0);
}

TEST(names_that_are_no_words_are_refused)
{
	static const char *const texts[] = {"list", "list(", "list)", "(append)", "1list()",
		"list (append)", "a b()", "list(a\nb)"};
	CLEANUP(arena_freep) struct arena *arena = NULL;

	assert_int_equal(arena_new(&arena), 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct how_place place = {"part", 3, 4};
		struct problem problem;
		struct how how = {0};
		assert_int_equal(
			how_add_text(&how, span_of(texts[i]), &place, arena, &problem), PROBLEM);
		assert_int_equal(problem.line, 3);
	}
}
