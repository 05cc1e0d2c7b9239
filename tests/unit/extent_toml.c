/* Where the values of TOML stand in their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "reading.h"

#include "extent_shown.h"

static void assert_toml(const char *text, const char *expected)
{
	assert_extents(&format_toml, text, expected);
}

static void a_pair_ends_before_its_comment(void **state)
{
	(void)state;
	assert_toml("# top\n\ta  =  1 # c\n'b' = \"x # y\"\t# d\n# end\n",
		"a  =  1 # c\\n'b' = \"x # y\"\n"
		"  a  =  1 > a > 1\n"
		"  'b' = \"x # y\" > 'b' > \"x # y\"\n");
}

static void a_dotted_key_is_one_pair_of_several_keys(void **state)
{
	CLEANUP(document_freep)
	struct document *document =
		read_with((struct read_options){.format = &format_toml, .wants_extents = true},
			span_of("a . \"b\".c = 1\na.d = 2\n"));
	const struct extent *first = document->extents[0]->first;

	(void)state;
	assert_toml("a . \"b\".c = 1\na.d = 2\n", "a . \"b\".c = 1\\na.d = 2\n"
						  "  a . \"b\".c = 1 > a . \"b\".c > 1\n"
						  "  a.d = 2 > a.d > 2\n");
	assert_int_equal(first->key_count, 3);
	assert_string_equal(first->keys[2]->text.data, "c");
	assert_int_equal(first->next->key_count, 2);
}

static void headers_come_in_the_order_of_the_text(void **state)
{
	(void)state;
	assert_toml("x = 1\n[ a . b ] # c\ny = 2\n\n# about c\n[[c]]\n[[c]]\nz = 3\n[a]\n",
		"x = 1\\n[ a . b ] # c\\ny = 2\\n\\n# about c\\n[[c]]\\n[[c]]\\nz = 3\\n[a]\n"
		"  x = 1 > x > 1\n"
		"  [ a . b ] # c\\ny = 2 > a . b > y = 2\n"
		"    y = 2 > y > 2\n"
		"  [[c]] > c > \n"
		"  [[c]]\\nz = 3 > c > z = 3\n"
		"    z = 3 > z > 3\n"
		"  [a] > a > \n");
}

static void lists_and_inline_tables_have_entries(void **state)
{
	(void)state;
	assert_toml("a = [ # one\n  1, # two\n  { b.c = 2, d=[] } ,\n] # three\n",
		"a = [ # one\\n  1, # two\\n  { b.c = 2, d=[] } ,\\n]\n"
		"  a = [ # one\\n  1, # two\\n  { b.c = 2, d=[] } ,\\n] > a > "
		"[ # one\\n  1, # two\\n  { b.c = 2, d=[] } ,\\n]\n"
		"    1 > 1\n"
		"    { b.c = 2, d=[] } > { b.c = 2, d=[] }\n"
		"      b.c = 2 > b.c > 2\n"
		"      d=[] > d > []\n");
}

static void a_value_of_many_lines_is_all_of_them(void **state)
{
	(void)state;
	assert_toml("\xEF\xBB\xBF"
		    "a = \"\"\"\r\nä\r\n  \"\"\" # c\r\nb = 1979-05-27 07:32:00\r\n",
		"a = \"\"\"\\r\\nä\\r\\n  \"\"\" # c\\r\\nb = 1979-05-27 07:32:00\n"
		"  a = \"\"\"\\r\\nä\\r\\n  \"\"\" > a > \"\"\"\\r\\nä\\r\\n  \"\"\"\n"
		"  b = 1979-05-27 07:32:00 > b > 1979-05-27 07:32:00\n");
}

static void an_empty_text_has_a_root_that_is_nowhere(void **state)
{
	(void)state;
	assert_toml("", "\n");
	assert_toml("# c\n", "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pair_ends_before_its_comment),
		cmocka_unit_test(a_dotted_key_is_one_pair_of_several_keys),
		cmocka_unit_test(headers_come_in_the_order_of_the_text),
		cmocka_unit_test(lists_and_inline_tables_have_entries),
		cmocka_unit_test(a_value_of_many_lines_is_all_of_them),
		cmocka_unit_test(an_empty_text_has_a_root_that_is_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
