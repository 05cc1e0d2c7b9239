/* Where the values of YAML stand in their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "reading.h"

#include "extent_shown.h"

static void assert_yaml(const char *text, const char *expected)
{
	assert_extents(&format_yaml, text, expected);
}

static void a_collection_ends_with_its_last_entry(void **state)
{
	(void)state;
	assert_yaml("a:\n  b: 1 # x\n  # y\n\n# z\nc:\n- 2\n\n# end\n",
		"a:\\n  b: 1 # x\\n  # y\\n\\n# z\\nc:\\n- 2\n"
		"  a:\\n  b: 1 > a > b: 1\n"
		"    b: 1 > b > 1\n"
		"  c:\\n- 2 > c > - 2\n"
		"    - 2 > 2\n");
}

static void bytes_are_counted_and_not_characters(void **state)
{
	(void)state;
	assert_yaml("\xEF\xBB\xBF"
		    "ä: é # ü\r\nb: [\"😀\", x]\r\n",
		"ä: é # ü\\r\\nb: [\"😀\", x]\n"
		"  ä: é > ä > é\n"
		"  b: [\"😀\", x] > b > [\"😀\", x]\n"
		"    \"😀\" > \"😀\"\n"
		"    x > x\n");
	/* A second mark is a character to libyaml. */
	assert_yaml("\xEF\xBB\xBF\xEF\xBB\xBF# ä\na: 1\n", "a: 1\n  a: 1 > a > 1\n");
	/* Line breaks of YAML 1.1. */
	assert_yaml("a: 1 # x\xC2\x85"
		    "b: 2\xE2\x80\xA8"
		    "c: 3\rd: 4",
		"a: 1 # x\xC2\x85"
		"b: 2\xE2\x80\xA8"
		"c: 3\\rd: 4\n"
		"  a: 1 > a > 1\n"
		"  b: 2 > b > 2\n"
		"  c: 3 > c > 3\n"
		"  d: 4 > d > 4\n");
}

static void a_block_scalar_ends_with_its_last_line(void **state)
{
	(void)state;
	assert_yaml("a: |+\n  x\n  y \n\n\nb: >-\n  z\n\n# c\nc: | # d\n\n\nd: |2-\n    e",
		"a: |+\\n  x\\n  y \\n\\n\\nb: >-\\n  z\\n\\n# c\\nc: | # d\\n\\n\\nd: |2-\\n    "
		"e\n"
		"  a: |+\\n  x\\n  y  > a > |+\\n  x\\n  y \n"
		"  b: >-\\n  z > b > >-\\n  z\n"
		"  c: | # d > c > | # d\n"
		"  d: |2-\\n    e > d > |2-\\n    e\n");
}

static void nothing_stands_behind_its_sign(void **state)
{
	(void)state;
	assert_yaml("a:   # x\nb:\n-  # y\n-\n? c # z\n? d\n: # w\n",
		"a:   # x\\nb:\\n-  # y\\n-\\n? c # z\\n? d\\n:\n"
		"  a: > a > \n"
		"  b:\\n-  # y\\n- > b > -  # y\\n-\n"
		"    - > \n"
		"    - > \n"
		"  ? c > c > \n"
		"  ? d\\n: > d > \n");
	/* A colon may begin the next key. */
	assert_yaml("? a\n:b: c\n", "? a\\n:b: c\n  ? a > a > \n  :b: c > :b > c\n");
	assert_yaml("{a, b: , c : 1, ? d, ? }", "{a, b: , c : 1, ? d, ? }\n"
						"  a > a > \n"
						"  b: > b > \n"
						"  c : 1 > c > 1\n"
						"  ? d > d > \n"
						"  ? >  > \n");
}

static void a_key_may_be_announced(void **state)
{
	(void)state;
	assert_yaml("# x\n? [a, b] # y\n# :\n:  - c\n   - d\n? |\n  e\n: f\n? - g\n: 1\n",
		"? [a, b] # y\\n# :\\n:  - c\\n   - d\\n? |\\n  e\\n: f\\n? - g\\n: 1\n"
		"  ? [a, b] # y\\n# :\\n:  - c\\n   - d > [a, b] > - c\\n   - d\n"
		"    - c > c\n"
		"    - d > d\n"
		"  ? |\\n  e\\n: f > |\\n  e > f\n"
		"  ? - g\\n: 1 > - g > 1\n");
	assert_yaml("\"a\" : 1\n'b':  2\n?c: 3\n", "\"a\" : 1\\n'b':  2\\n?c: 3\n"
						   "  \"a\" : 1 > \"a\" > 1\n"
						   "  'b':  2 > 'b' > 2\n"
						   "  ?c: 3 > ?c > 3\n");
}

static void items_begin_with_their_dash(void **state)
{
	(void)state;
	assert_yaml("- - a\n  # -\n  -   b\n-  k: v\n   l: w\n",
		"- - a\\n  # -\\n  -   b\\n-  k: v\\n   l: w\n"
		"  - - a\\n  # -\\n  -   b > - a\\n  # -\\n  -   b\n"
		"    - a > a\n"
		"    -   b > b\n"
		"  -  k: v\\n   l: w > k: v\\n   l: w\n"
		"    k: v > k > v\n"
		"    l: w > l > w\n");
	assert_yaml("a: # -\n- !t &x # -\n  - b\n- !u\n  k: v\n",
		"a: # -\\n- !t &x # -\\n  - b\\n- !u\\n  k: v\n"
		"  a: # -\\n- !t &x # -\\n  - b\\n- !u\\n  k: v > a > "
		"- !t &x # -\\n  - b\\n- !u\\n  k: v\n"
		"    - !t &x # -\\n  - b > !t &x # -\\n  - b [anchor]\n"
		"      - b > b\n"
		"    - !u\\n  k: v > !u\\n  k: v\n"
		"      k: v > k > v\n");
}

static void aliases_and_anchors_have_their_own(void **state)
{
	(void)state;
	assert_yaml("a: &x !!map {b: &y 1}\nc: *x\n<<: *x\n*y : &z\n\"<<\": 2\n",
		"a: &x !!map {b: &y 1}\\nc: *x\\n<<: *x\\n*y : &z\\n\"<<\": 2\n"
		"  a: &x !!map {b: &y 1} > a > &x !!map {b: &y 1} [anchor]\n"
		"    b: &y 1 > b > &y 1 [anchor]\n"
		"  c: *x > c > *x [alias]\n"
		"  <<: *x > << > *x [alias] [merge]\n"
		"  *y : &z > *y > &z [anchor]\n"
		"  \"<<\": 2 > \"<<\" > 2\n");
}

static void flow_collections_may_have_lines_and_comments(void **state)
{
	(void)state;
	assert_yaml("a: [ # ]\n  1 , # ,\n  b: c, ? d : e,\n  {f: g}, ] # h\n",
		"a: [ # ]\\n  1 , # ,\\n  b: c, ? d : e,\\n  {f: g}, ]\n"
		"  a: [ # ]\\n  1 , # ,\\n  b: c, ? d : e,\\n  {f: g}, ] > a > "
		"[ # ]\\n  1 , # ,\\n  b: c, ? d : e,\\n  {f: g}, ]\n"
		"    1 > 1\n"
		"    b: c > b: c\n"
		"      b: c > b > c\n"
		"    ? d : e > ? d : e\n"
		"      ? d : e > d > e\n"
		"    {f: g} > {f: g}\n"
		"      f: g > f > g\n");
	assert_yaml("{\"a\":1,'b':[],c: {}}", "{\"a\":1,'b':[],c: {}}\n"
					      "  \"a\":1 > \"a\" > 1\n"
					      "  'b':[] > 'b' > []\n"
					      "  c: {} > c > {}\n");
	assert_yaml("{? [a, {b: c}] : d}",
		"{? [a, {b: c}] : d}\n  ? [a, {b: c}] : d > [a, {b: c}] > d\n");
}

static void scalars_may_have_lines(void **state)
{
	(void)state;
	assert_yaml("a: b\n  c\n\n  d  # e\nf: \"g\n\n  h\" # i\n",
		"a: b\\n  c\\n\\n  d  # e\\nf: \"g\\n\\n  h\"\n"
		"  a: b\\n  c\\n\\n  d > a > b\\n  c\\n\\n  d\n"
		"  f: \"g\\n\\n  h\" > f > \"g\\n\\n  h\"\n");
}

static void each_document_has_a_root(void **state)
{
	(void)state;
	assert_yaml(
		"%YAML 1.1\n%TAG !e! !f\n--- # a\n- !e!x 1\n...\n# b\n---\n--- |\n c\n--- {}\n---",
		"- !e!x 1\n"
		"  - !e!x 1 > !e!x 1\n"
		"\n"
		"|\\n c\n"
		"{}\n"
		"\n");
	assert_yaml("# a\n\n", "");
}

static void the_root_of_an_empty_document_is_behind_its_dashes(void **state)
{
	CLEANUP(document_freep)
	struct document *document =
		read_with((struct read_options){.format = &format_yaml, .wants_extents = true},
			span_of("# a\n--- # b\n\n# c\n---\n"));

	(void)state;
	assert_int_equal(document->extents[0]->value.begin, 7);
	assert_int_equal(document->extents[1]->value.begin, 20);
}

static void extents_are_noted_when_they_are_wanted(void **state)
{
	CLEANUP(document_freep) struct document *document = read_yaml("a: 1\n");

	(void)state;
	assert_null(document->extents);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_collection_ends_with_its_last_entry),
		cmocka_unit_test(bytes_are_counted_and_not_characters),
		cmocka_unit_test(a_block_scalar_ends_with_its_last_line),
		cmocka_unit_test(nothing_stands_behind_its_sign),
		cmocka_unit_test(a_key_may_be_announced),
		cmocka_unit_test(items_begin_with_their_dash),
		cmocka_unit_test(aliases_and_anchors_have_their_own),
		cmocka_unit_test(flow_collections_may_have_lines_and_comments),
		cmocka_unit_test(scalars_may_have_lines),
		cmocka_unit_test(each_document_has_a_root),
		cmocka_unit_test(the_root_of_an_empty_document_is_behind_its_dashes),
		cmocka_unit_test(extents_are_noted_when_they_are_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
