/* The conversions of json_put(), and what it does to texts. */
#include "json_put.h"

#include <stdlib.h>

#include "test.h"

#define assert_json(expected, ...)                                                                 \
	do {                                                                                       \
		char *text;                                                                        \
		size_t len;                                                                        \
		FILE *out = open_memstream(&text, &len);                                           \
		assert_non_null(out);                                                              \
		json_put(JSON(out), __VA_ARGS__);                                                  \
		assert_int_equal(fclose(out), 0);                                                  \
		assert_string_equal(text, expected);                                               \
		free(text);                                                                        \
	} while (0)

TEST(text_is_quoted_and_null_is_null)
{
	const char *volatile none = NULL;

	assert_json("{\"a\": \"b\", \"c\": null}", "{'a': %s, 'c': %s}", "b", none);
	assert_json("\"it's 5% \\\"x\\\"\\n\\ufffd\"", "%s", "it's 5% \"x\"\n\xff");
}

TEST(numbers_have_their_whole_range)
{
	assert_json("[0, 4294967295]", "[%u, %u]", 0u, UINT32_MAX);
	assert_json("18446744073709551615, 18446744073709551615", "%zu, %llu", SIZE_MAX,
		18446744073709551615ull);
	assert_json(
		"-2147483648, -9223372036854775807", "%d, %lld", INT32_MIN, -9223372036854775807ll);
	assert_json("-3, 7", "%ld, %lu", -3l, 7ul);
	assert_json("12345678901, -0", "%.0f, %.0f", 12345678901.2, -0.4);
}

TEST(bool_is_a_word)
{
	assert_json("true false", "%hhd %hhd", (bool)true, (bool)false);
}

TEST(comma_and_line_end_behind_an_opening_bracket_are_left_out)
{
	const char *key = "a";

	assert_json("[1, \"a\"]", "[, %u, %s]", 1u, key);
	assert_json("{\n  \"a\": [],\n  \"b\": {}\n}", "{,\n  'a': [\n  ],\n  'b': {, }\n}");
	assert_json("{\"[\": \"{\", \"b\": 0}", "{%s: %s, 'b': %u}", "[", "{", 0u);
}
