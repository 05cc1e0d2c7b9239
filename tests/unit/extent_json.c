/* Where the values of JSON stand in their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "reading.h"

#include "extent_shown.h"

static void every_value_has_its_place(void **state)
{
	(void)state;
	assert_extents(&format_json, " {\"a\" : [1, \"x\"] , \"b\":{ }}\r\n",
		"{\"a\" : [1, \"x\"] , \"b\":{ }}\n"
		"  \"a\" : [1, \"x\"] > \"a\" > [1, \"x\"]\n"
		"    1 > 1\n"
		"    \"x\" > \"x\"\n"
		"  \"b\":{ } > \"b\" > { }\n");
	assert_extents(&format_json, "true", "true\n");
}

static void comments_belong_to_nothing(void **state)
{
	(void)state;
	assert_extents(&format_jsonc, "// x\n[/* a */ 1 /* b */, // }]\n 2 , ] // c",
		"[/* a */ 1 /* b */, // }]\\n 2 , ]\n"
		"  1 > 1\n"
		"  2 > 2\n");
}

static void bytes_are_counted_and_a_byte_order_mark_is_some(void **state)
{
	(void)state;
	assert_extents(&format_json,
		"\xEF\xBB\xBF"
		"{\"ä\\u00e4\":\"é😀\\\"\"}",
		"{\"ä\\u00e4\":\"é😀\\\"\"}\n"
		"  \"ä\\u00e4\":\"é😀\\\"\" > \"ä\\u00e4\" > \"é😀\\\"\"\n");
}

static void a_key_that_comes_twice_has_two_places(void **state)
{
	(void)state;
	assert_extents(&format_json, "{\"a\":1,\"a\":[2]}",
		"{\"a\":1,\"a\":[2]}\n"
		"  \"a\":1 > \"a\" > 1\n"
		"  \"a\":[2] > \"a\" > [2]\n"
		"    2 > 2\n");
}

static void nothing_has_no_place(void **state)
{
	(void)state;
	assert_extents(&format_json, " \n", "");
	assert_extents(&format_jsonc, "// x\n", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_has_its_place),
		cmocka_unit_test(comments_belong_to_nothing),
		cmocka_unit_test(bytes_are_counted_and_a_byte_order_mark_is_some),
		cmocka_unit_test(a_key_that_comes_twice_has_two_places),
		cmocka_unit_test(nothing_has_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
