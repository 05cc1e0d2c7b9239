/* Problems as text: one line, cut between characters, with their place. */
#include "problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const char *message_of(const char *text)
{
	static struct problem problem;

	assert_int_equal(problem_set(&problem, NULL, 0, 0, "%s", text), PROBLEM);
	return problem.message;
}

static void control_characters_are_escaped(void **state)
{
	(void)state;
	assert_string_equal(message_of("a\nb\x1b[31m\x7f"), "a\\x0Ab\\x1B[31m\\x7F");
	assert_string_equal(
		message_of("nel \xC2\x85 ls \xE2\x80\xA8"), "nel \\xC2\\x85 ls \\xE2\\x80\\xA8");
}

static void characters_that_turn_text_around_are_escaped(void **state)
{
	(void)state;
	assert_string_equal(message_of("\xE2\x80\xAEtxt"), "\\xE2\\x80\\xAEtxt");
}

static void bytes_that_are_not_utf8_are_escaped(void **state)
{
	(void)state;
	assert_string_equal(message_of("\xFF\xC0\x80 \xE2\x82 \xED\xA0\x80"),
		"\\xFF\\xC0\\x80 \\xE2\\x82 \\xED\\xA0\\x80");
}

static void other_text_stays(void **state)
{
	(void)state;
	assert_string_equal(message_of("größe \\n 値 😀"), "größe \\n 値 😀");
}

static void a_long_message_is_cut_at_its_end_between_characters(void **state)
{
	char text[3 * PROBLEM_MESSAGE_MAX];
	const char *message;

	(void)state;
	for (size_t offset = 0; offset < 4; offset++) {
		memset(text, 'x', offset);
		for (size_t i = offset; i + 2 < sizeof(text); i += 2)
			memcpy(text + i, "ö", 3);
		message = message_of(text);
		assert_in_range(strlen(message), PROBLEM_MESSAGE_MAX - 6, PROBLEM_MESSAGE_MAX - 1);
		assert_string_equal(message + strlen(message) - 5, "ö…");
	}
}

static void a_message_that_just_fits_is_not_cut(void **state)
{
	char text[PROBLEM_MESSAGE_MAX];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_string_equal(message_of(text), text);
}

static void a_long_name_is_cut_in_front(void **state)
{
	char name[2 * PROBLEM_SOURCE_MAX];
	struct problem problem;

	(void)state;
	memset(name, 'd', sizeof(name));
	strcpy(name + sizeof(name) - 10, "/app.yaml");
	problem_set(&problem, name, 1, 1, "x");
	assert_int_equal(strlen(problem.source), PROBLEM_SOURCE_MAX - 1);
	assert_memory_equal(problem.source, "…ddd", 6);
	assert_string_equal(problem.source + strlen(problem.source) - 9, "/app.yaml");
}

static void a_problem_can_be_wrapped_in_itself(void **state)
{
	struct problem problem;

	(void)state;
	problem_set(&problem, "a.yaml", 3, 7, "inner");
	problem_set(&problem, problem.source, problem.line, problem.column, "outer: %s",
		problem.message);
	assert_string_equal(problem.source, "a.yaml");
	assert_string_equal(problem.message, "outer: inner");
}

static void assert_format(const char *source, unsigned line, unsigned column, const char *expected)
{
	struct problem problem;
	char text[100];

	problem_set(&problem, source, line, column, "what");
	assert_int_equal(problem_format(&problem, text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
}

static void parts_that_are_not_known_are_left_out(void **state)
{
	(void)state;
	assert_format("a.yaml", 3, 7, "a.yaml:3:7: what");
	assert_format("a.yaml", 3, 0, "a.yaml:3: what");
	assert_format("a.yaml", 0, 0, "a.yaml: what");
	assert_format("a.yaml", 0, 7, "a.yaml: what");
	assert_format(NULL, 3, 7, "3:7: what");
	assert_format("", 0, 0, "what");
}

static void format_cuts_and_tells_the_whole_length(void **state)
{
	struct problem problem;
	char text[8];

	(void)state;
	problem_set(&problem, "a.yaml", 3, 7, "what");
	assert_int_equal(problem_format(&problem, text, sizeof(text)), 16);
	assert_string_equal(text, "a.yaml:");
}

static void a_made_node_has_no_place(void **state)
{
	struct source source = {.name = "a.yaml"};
	struct node node = {.line = 3, .column = 7};
	struct problem problem;

	(void)state;
	problem_at(&problem, &node, "what");
	assert_string_equal(problem.source, "");
	assert_int_equal(problem.line, 0);

	node.source = &source;
	problem_at(&problem, &node, "what");
	assert_string_equal(problem.source, "a.yaml");
	assert_int_equal(problem.line, 3);
	assert_int_equal(problem.column, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(characters_that_turn_text_around_are_escaped),
		cmocka_unit_test(bytes_that_are_not_utf8_are_escaped),
		cmocka_unit_test(other_text_stays),
		cmocka_unit_test(a_long_message_is_cut_at_its_end_between_characters),
		cmocka_unit_test(a_message_that_just_fits_is_not_cut),
		cmocka_unit_test(a_long_name_is_cut_in_front),
		cmocka_unit_test(a_problem_can_be_wrapped_in_itself),
		cmocka_unit_test(parts_that_are_not_known_are_left_out),
		cmocka_unit_test(format_cuts_and_tells_the_whole_length),
		cmocka_unit_test(a_made_node_has_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
