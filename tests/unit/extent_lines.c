/* Where the values of the formats that are made of lines stand in their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "reading.h"

#include "extent_shown.h"

static void a_value_of_ini_ends_with_its_last_line(void **state)
{
	(void)state;
	assert_extents(&format_ini,
		"; top\r\n a : b ; c\r\nm = 1\r\n\r\n  2 \r\n ; inner\r\n  3\t\r\n\r\n; end\r\nn "
		"=\r\nskip\r\n",
		"a : b ; c\\r\\nm = 1\\r\\n\\r\\n  2 \\r\\n ; inner\\r\\n  3\t\\r\\n\\r\\n; "
		"end\\r\\nn =\\r\\nskip\n"
		"  a : b ; c > a > b ; c\n"
		"  m = 1\\r\\n\\r\\n  2 \\r\\n ; inner\\r\\n  3 > m > "
		"1\\r\\n\\r\\n  2 \\r\\n ; inner\\r\\n  3\n"
		"  n = > n > \n"
		"  skip > skip > \n");
}

static void a_section_that_comes_again_has_two_places(void **state)
{
	(void)state;
	assert_extents(&format_ini, "g=1\n[a b] ; c\nx=1\n\n# about b\n[b]\n[a b]\ny=2",
		"g=1\\n[a b] ; c\\nx=1\\n\\n# about b\\n[b]\\n[a b]\\ny=2\n"
		"  g=1 > g > 1\n"
		"  [a b] ; c\\nx=1 > a b > x=1\n"
		"    x=1 > x > 1\n"
		"  [b] > b > \n"
		"  [a b]\\ny=2 > a b > y=2\n"
		"    y=2 > y > 2\n");
}

static void lines_of_systemd_that_are_one_are_one_value(void **state)
{
	(void)state;
	assert_extents(&format_systemd,
		"[Service]\nExecStart=/a \\\n# c\n  b \\\n\nExecStart=\n ExecStart = \\\n /c\n",
		"[Service]\\nExecStart=/a \\\\n# c\\n  b \\\\n\\nExecStart=\\n ExecStart = \\\\n "
		"/c\n"
		"  [Service]\\nExecStart=/a \\\\n# c\\n  b \\\\n\\nExecStart=\\n ExecStart = \\\\n "
		"/c "
		"> Service > ExecStart=/a \\\\n# c\\n  b \\\\n\\nExecStart=\\n ExecStart = \\\\n "
		"/c\n"
		"    ExecStart=/a \\\\n# c\\n  b > ExecStart > /a \\\\n# c\\n  b\n"
		"    ExecStart= > ExecStart > \n"
		"    ExecStart = \\\\n /c > ExecStart > /c\n");
}

static void sections_of_systemd_that_are_a_list_are_items(void **state)
{
	CLEANUP(document_freep)
	struct document *document =
		read_with((struct read_options){.format = &format_systemd, .wants_extents = true},
			span_of("[Address]\nAddress=1\n[Address]\nAddress=2\n"));
	const struct extent *first = document->extents[0]->first;

	(void)state;
	assert_true(node_is_map(first->node));
	assert_string_equal(first->keys[0]->text.data, "Address");
	assert_ptr_equal(first->next->node, node_get(document->roots[0], "Address")->seq.items[1]);
}

static void a_value_of_a_keyfile_is_the_rest_of_its_line(void **state)
{
	(void)state;
	assert_extents(&format_keyfile, "\xEF\xBB\xBF[g]\nName[de] = ä; # b \n",
		"[g]\\nName[de] = ä; # b \n"
		"  [g]\\nName[de] = ä; # b  > g > Name[de] = ä; # b \n"
		"    Name[de] = ä; # b  > Name[de] > ä; # b \n");
}

static void a_variable_has_its_quotes_and_its_export(void **state)
{
	(void)state;
	assert_extents(&format_env, "export A=b # c\n B = 'x\n# y' # d\nC=\nD\n",
		"export A=b # c\\n B = 'x\\n# y' # d\\nC=\\nD\n"
		"  export A=b > A > b\n"
		"  B = 'x\\n# y' > B > 'x\\n# y'\n"
		"  C= > C > \n"
		"  D > D > \n");
}

static void a_property_has_any_of_three_separators(void **state)
{
	(void)state;
	assert_extents(&format_properties, "! c\n a\\=b=1\rb : 2\r\nc\t3, \\\n   4\nd\n",
		"a\\=b=1\\rb : 2\\r\\nc\t3, \\\\n   4\\nd\n"
		"  a\\=b=1 > a\\=b > 1\n"
		"  b : 2 > b > 2\n"
		"  c\t3, \\\\n   4 > c > 3, \\\\n   4\n"
		"  d > d > \n");
}

static void bytes_of_iso_8859_1_are_counted_as_they_are(void **state)
{
	(void)state;
	assert_extents(&format_properties, "# \xE4\n\xE4=\xF6\xFC\nb = \xDF x\n",
		"\xE4=\xF6\xFC\\nb = \xDF x\n"
		"  \xE4=\xF6\xFC > \xE4 > \xF6\xFC\n"
		"  b = \xDF x > b > \xDF x\n");
}

static void nothing_has_no_place(void **state)
{
	(void)state;
	assert_extents(&format_ini, "; c\n", "");
	assert_extents(&format_env, "", "");
	assert_extents(&format_properties, "\n! c", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_of_ini_ends_with_its_last_line),
		cmocka_unit_test(a_section_that_comes_again_has_two_places),
		cmocka_unit_test(lines_of_systemd_that_are_one_are_one_value),
		cmocka_unit_test(sections_of_systemd_that_are_a_list_are_items),
		cmocka_unit_test(a_value_of_a_keyfile_is_the_rest_of_its_line),
		cmocka_unit_test(a_variable_has_its_quotes_and_its_export),
		cmocka_unit_test(a_property_has_any_of_three_separators),
		cmocka_unit_test(bytes_of_iso_8859_1_are_counted_as_they_are),
		cmocka_unit_test(nothing_has_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
