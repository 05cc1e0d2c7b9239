/* A value on one line, cut where it must be. */
#include "excerpt.h"

#include <stdio.h>
#include <stdlib.h>

#include "reading.h"
#include "test.h"

static void assert_excerpt(const char *yaml, size_t size, const char *expected)
{
	CLEANUP(document_freep) struct document *document = read_yaml(yaml);
	/* Exactly as large as needed: the sanitizer reports a byte beyond. */
	CLEANUP(freep) char *text = malloc(size);

	excerpt(document->roots[0], text, size);
	assert_string_equal(text, expected);
}

TEST(value_is_in_flow_style_with_its_quotes)
{
	assert_excerpt("0644", 80, "0644");
	assert_excerpt("'it''s'", 80, "'it''s'");
	assert_excerpt("\"a\\nb\\\\\"", 80, "\"a\\nb\\\\\"");
	assert_excerpt("|\n  a\n  b\n", 80, "\"a\\nb\\n\"");
	assert_excerpt("a:\n- 1\n- {b: []}\nc: !t d\n", 80, "{a: [1, {b: []}], c: !t d}");
	assert_excerpt("!t", 80, "!t");
	assert_excerpt("!!str 12", 80, "!!str 12");
	assert_excerpt("a:\n", 80, "{a: }");
}

TEST(what_steers_a_terminal_is_escaped)
{
	assert_excerpt("\"\\e[31m\\u202e\"", 80, "\"\\x1B[31m\\xE2\\x80\\xAE\"");
	assert_excerpt("!%1B x", 80, "!\\x1B x");
}

TEST(what_does_not_fit_is_cut_between_characters)
{
	assert_excerpt("abcdefg", 8, "abcdefg");
	assert_excerpt("abcdefgh", 8, "abcd…");
	assert_excerpt("[a, b, c]", 8, "[a, …");
	assert_excerpt("ééé", 8, "ééé");
	assert_excerpt("éééé", 8, "éé…");
	assert_excerpt("aéééé", 8, "aé…");
	assert_excerpt("\"\\e\\e\"", 8, "\"…");
}
