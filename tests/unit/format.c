/* Promises of every format in the table, and the table itself. */
#include <stdio.h>

#include "reading.h"
#include "scalar.h"
#include "test.h"

TEST(a_format_is_found_by_its_name_and_by_each_of_its_suffixes)
{
	for (const struct format *const *at = format_all(); *at; at++) {
		char suffixes[256], file[512];

		assert_ptr_equal(format_find(span_of((*at)->name)), *at);
		assert_ptr_equal(format_all()[format_index(*at)], *at);
		assert_non_null(strstr(format_names(), (*at)->name));
		snprintf(suffixes, sizeof(suffixes), "%s", (*at)->suffixes);
		for (char *suffix = strtok(suffixes, ","); suffix; suffix = strtok(NULL, ",")) {
			snprintf(file, sizeof(file), "dir.d/a.b.%s", suffix);
			assert_ptr_equal(format_of_name(file), *at);
		}
	}
	assert_ptr_equal(format_of_name("a.yml"), &format_yaml);
	assert_ptr_equal(format_of_name("etc/.eslintrc.json"), &format_jsonc);
	assert_ptr_equal(format_of_name("tsconfig.json"), &format_jsonc);
	assert_ptr_equal(format_of_name("my.tsconfig.json"), &format_json);
	assert_ptr_equal(format_of_name(".json"), &format_json);
}

TEST(a_name_without_a_known_suffix_has_no_format)
{
	const char *const names[] = {
		"", "json", "a.json/b", "a.jso", "a.jsonc2", "a.", "a.yaml,yml"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_null(format_of_name(names[i]));
	assert_null(format_find(span_of("")));
	assert_null(format_find(span_of("jso")));
	assert_null(format_all()[format_index(NULL)]);
	assert_ptr_equal(format_of_tree(NULL), &format_yaml);
}

/* `text` has no opinion: it has no root, or one that is null, or in TOML an empty table. */
static void assert_nothing(const struct format *format, const char *text)
{
	CLEANUP(document_freep)
	struct document *document =
		read_with((struct read_options){.format = format}, span_of(text));

	if (format == &format_toml)
		assert_true(node_is_map(document->roots[0]) && !node_count(document->roots[0]));
	else
		assert_true(document->count == 0 || scalar_is_null(document->roots[0]));
}

TEST(what_is_written_for_nothing_and_comments_say_nothing)
{
	for (const struct format *const *at = format_all(); *at; at++) {
		char text[128];

		assert_nothing(*at, "");
		assert_nothing(*at, (*at)->nothing);
		if (!(*at)->comment)
			continue;
		snprintf(text, sizeof(text), "%s a comment\n%s", (*at)->comment, (*at)->nothing);
		assert_nothing(*at, text);
	}
}

TEST(a_tree_comes_back_from_each_format_that_can_hold_it)
{
	const char *const trees[] = {
		"{\"a\": \"b c\"}", "{\"a\": {\"b\": \"c d\"}}", "[\"a\", \"b c\"]"};

	for (size_t i = 0; i < 3; i++) {
		CLEANUP(document_freep) struct document *document = read_json(trees[i]);

		for (const struct format *const *at = format_all(); *at; at++) {
			CLEANUP(document_freep) struct document *again = NULL;
			struct limits limits = {0};
			struct problem problem;
			struct span text;
			int r = document_write(
				document->roots[0], *at, &limits, document->arena, &text, &problem);

			assert_true(r == 0 || (r == PROBLEM && problem.message[0]));
			if (r == PROBLEM)
				continue;
			assert_int_equal(text.data[text.len - 1], '\n');
			again = read_with((struct read_options){.format = *at}, text);
			assert_int_equal(again->count, 1);
			assert_true(node_equal(again->roots[0], document->roots[0]));
		}
	}
}
