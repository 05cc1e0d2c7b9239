/* Problems as text: one line, cut between characters, with their place. */
#include "problem.h"

#include "test.h"

static const char *message_of(const char *text)
{
	static struct problem problem;

	assert_int_equal(problem_set(&problem, NULL, 0, 0, "%s", text), PROBLEM);
	return problem.message;
}

TEST(control_characters_are_escaped)
{
	assert_string_equal(message_of("a\nb\x1b[31m\x7f"), "a\\x0Ab\\x1B[31m\\x7F");
	assert_string_equal(
		message_of("nel \xC2\x85 ls \xE2\x80\xA8"), "nel \\xC2\\x85 ls \\xE2\\x80\\xA8");
}

TEST(characters_that_turn_text_around_are_escaped)
{
	assert_string_equal(message_of("\xE2\x80\xAEtxt"), "\\xE2\\x80\\xAEtxt");
	assert_string_equal(
		message_of("\u200Ea\u200Fb\u061C"), "\\xE2\\x80\\x8Ea\\xE2\\x80\\x8Fb\\xD8\\x9C");
}

TEST(bytes_that_are_not_utf8_are_escaped)
{
	assert_string_equal(message_of("\xFF\xC0\x80 \xE2\x82 \xED\xA0\x80"),
		"\\xFF\\xC0\\x80 \\xE2\\x82 \\xED\\xA0\\x80");
}

TEST(other_text_stays)
{
	assert_string_equal(message_of("größe \\n 値 😀"), "größe \\n 値 😀");
}

TEST(a_long_message_is_cut_at_its_end_between_characters)
{
	char text[3 * PROBLEM_MESSAGE_MAX];
	const char *message;

	for (size_t offset = 0; offset < 4; offset++) {
		memset(text, 'x', offset);
		for (size_t i = offset; i + 2 < sizeof(text); i += 2)
			memcpy(text + i, "ö", 3);
		message = message_of(text);
		assert_in_range(strlen(message), PROBLEM_MESSAGE_MAX - 6, PROBLEM_MESSAGE_MAX - 1);
		assert_string_equal(message + strlen(message) - 5, "ö…");
	}
}

TEST(a_message_that_just_fits_is_not_cut)
{
	char text[PROBLEM_MESSAGE_MAX];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_string_equal(message_of(text), text);
}

TEST(a_long_name_is_cut_in_front)
{
	char name[2 * PROBLEM_SOURCE_MAX];
	struct problem problem;

	memset(name, 'd', sizeof(name));
	strcpy(name + sizeof(name) - 10, "/app.yaml");
	problem_set(&problem, name, 1, 1, "x");
	assert_int_equal(strlen(problem.source), PROBLEM_SOURCE_MAX - 1);
	assert_memory_equal(problem.source, "…ddd", 6);
	assert_string_equal(problem.source + strlen(problem.source) - 9, "/app.yaml");
}

TEST(a_problem_can_be_wrapped_in_itself)
{
	struct problem problem;

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

TEST(parts_that_are_not_known_are_left_out)
{
	assert_format("a.yaml", 3, 7, "a.yaml:3:7: what");
	assert_format("a.yaml", 3, 0, "a.yaml:3: what");
	assert_format("a.yaml", 0, 0, "a.yaml: what");
	assert_format("a.yaml", 0, 7, "a.yaml: what");
	assert_format(NULL, 3, 7, "3:7: what");
	assert_format("", 0, 0, "what");
}

TEST(format_cuts_and_reports_the_whole_length)
{
	struct problem problem;
	char text[8];

	problem_set(&problem, "a.yaml", 3, 7, "what");
	assert_int_equal(problem_format(&problem, text, sizeof(text)), 16);
	assert_string_equal(text, "a.yaml:");
}

TEST(a_made_node_has_no_place)
{
	struct source source = {.name = "a.yaml"};
	struct node node = {.line = 3, .column = 7};
	struct problem problem;

	problem_at(&problem, &node, "what");
	assert_string_equal(problem.source, "");
	assert_int_equal(problem.line, 0);

	node.source = &source;
	problem_at(&problem, &node, "what");
	assert_string_equal(problem.source, "a.yaml");
	assert_int_equal(problem.line, 3);
	assert_int_equal(problem.column, 7);
}
