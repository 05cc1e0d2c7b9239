/*
 * An error in YAML is reported in our words, with the remedy, at the place where it must be
 * corrected; and never in libyaml's words.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"
#include "test.h"

struct told {
	const char *text;
	const char *start; /* of "LINE:COLUMN: MESSAGE" */
};

#define NOTHING_BEHIND "nothing can follow the value here; put all of it in quotes"
#define DIRECTIVE                                                                                  \
	"a line that begins with '%' is %YAML or %TAG; put a text that begins with '%' in quotes"
#define VERSION "behind %YAML stands a version"
#define TAG_LINE "behind %TAG stand a handle"
#define TAG "a tag is '!' and a name"
#define ESCAPED "behind '%' in a tag stand two hexadecimal digits"
#define TAB "a tab can't indent, use spaces"

/* Each message of libyaml's scanner.c, parser.c and reader.c, in their order. */
static const struct told all[] = {
	/* could not find expected ':' */
	{"x: 1\nlog debug\ny: 2\n", "2:1: ':' is missing behind this key; write KEY: VALUE"},
	{"x: 1\nlog debug", "2:1: ':' is missing behind this key"},
	{"a: '\nb\n'\n'c\n'\n", "4:1: ':' is missing behind this key"},
	/* found character that cannot start any token */
	{"a: @x\n", "1:4: a value can't begin with '@'; put it in quotes"},
	{"a: `x`\n", "1:4: a value can't begin with '`'; put it in quotes"},
	{"- %x\n", "1:3: a value can't begin with '%'; put it in quotes"},
	{"[|x]\n", "1:2: a value can't begin with '|'; put it in quotes"},
	{"a:\n\tb: 2\n", "2:1: " TAB},
	/* … are not allowed in this context */
	{"a: - b\n", "1:4: a list can't begin in the middle of a line; put its first '- ' in the "
		     "next line"},
	{"a: ? b\n", "1:4: '? ' can't stand in the middle of a line; put it in the next line"},
	{"a: b: c\n", "1:5: a second ': ' stands in one line; put the value in quotes"},
	{"k\xC3\xA9: v: c\n", "1:6: a second ': ' stands in one line"},
	{"- \"a: b\": c: d\n", "1:12: a second ': ' stands in one line"},
	{"a: 1\n  b: 2\n", "2:4: a key can't stand in a text that began above; align the line"},
	{"log debug\nx: 1\n", "2:2: a key can't stand in a text that began above"},
	{"- a: 1\n   b: 2\n", "2:5: a key can't stand in a text that began above"},
	/* Directives. */
	{"%h\n", "1:3: " DIRECTIVE},
	{"%\n", "1:2: " DIRECTIVE},
	{"%YAML\xC3\xA9\n", "1:6: " DIRECTIVE},
	{"%YAML 1.1 x\n---\n",
		"1:11: nothing but a comment can stand behind a directive; remove it"},
	{"%YAML x\n---\n", "1:7: " VERSION},
	{"%YAML 1\n---\n", "1:8: " VERSION},
	{"%YAML 11111111111111.1\n---\n", "1:16: " VERSION},
	{"%TAG x\n---\n", "1:6: " TAG_LINE},
	{"%TAG !x\n---\n", "1:8: " TAG_LINE},
	{"%TAG !x!\n---\n", "1:9: " TAG_LINE},
	{"%TAG !x! \n---\n", "1:10: " TAG_LINE},
	{"%TAG !x! a{\n---\n", "1:11: " TAG_LINE},
	{"%TAG !x! %zz\n---\n", "1:10: " TAG_LINE},
	/* Anchors and aliases. */
	{"a: *.yaml\n", "1:4: a value can't begin with '*' but for the name of an anchor"},
	{"a: **b**\n", "1:4: a value can't begin with '*' but"},
	{"a: &amp; x\n", "1:4: a value can't begin with '&' but"},
	{"a: & x\n", "1:4: a value can't begin with '&' but"},
	{"a: *x\n", "1:4: \"*x\" is an alias, and its anchor does not stand before it"},
	/* Tags. */
	{"a: !<x y\n", "1:7: the tag has no '>' at its end; add it"},
	{"a: !<>\n", "1:6: " TAG},
	{"a: !!\n", "1:6: " TAG},
	{"a: !{x}\n", "1:5: " TAG},
	{"a: !x%zz y\n", "1:6: " ESCAPED},
	{"a: !x%ff y\n", "1:6: " ESCAPED},
	{"a: !x%c3%41 y\n", "1:9: " ESCAPED},
	/* Texts over several lines. */
	{"a: |0\n  x\n", "1:5: the digit behind '|' or '>' says how far"},
	{"a: > b\n", "1:6: nothing but a comment can stand behind '|' or '>'"},
	{"a: |\n\tx\n", "2:1: " TAB},
	/* Texts in quotes. */
	{"a: \"x\n---\nb\n",
		"1:4: the text that begins here is not closed; write '\"' where it ends"},
	{"a: \"x\nb: 1\n",
		"1:4: the text that begins here is not closed; write '\"' where it ends"},
	{"a: b\nc: 'd\n",
		"2:4: the text that begins here is not closed; write \"'\" where it ends"},
	{"a: \"C:\\dir\"\n", "1:7: there is no escape '\\d'; write '\\\\' for a backslash"},
	{"a: \"\\\xC3\xA9\"\n", "1:5: there is no escape '\\\xC3\xA9'; write"},
	{"a: \"\\x4\"\n", "1:7: behind \\x, \\u and \\U stand 2, 4 and 8 hexadecimal digits"},
	{"a: \"\\uD800\"\n", "1:7: the escape stands for no character"},
	{"a: \"\\U00110000\"\n", "1:7: the escape stands for no character"},
	/* Texts without quotes. */
	{"a: 1\n\tb: 2\n", "2:1: " TAB},

	/* did not find expected <document start> */
	{"  a: 1\nb: 2\n",
		"2:1: the value of the file has ended above this line; align the line with it"},
	{"[a]\nb = 1\n", "2:1: the value of the file has ended above this line"},
	{"[a, b] c\n", "1:8: " NOTHING_BEHIND},
	{"%YAML 1.1\n# x\na: 1\n", "3:1: '---' is missing behind the lines that begin with '%'"},
	{"a: !x!y z\n",
		"1:4: no %TAG line defines the beginning of this tag, up to its second '!'"},
	{"%YAML 1.1\n%YAML 1.1\n---\n",
		"2:1: a document has one line %YAML; remove the second one"},
	{"%YAML 1.9\n---\n", "1:1: " VERSION},
	{"%TAG !x! a\n%TAG !x! b\n---\n", "2:1: a document has one line %TAG for a handle"},
	/* did not find expected node content */
	{"a: ]\n", "1:4: ']' closes nothing; remove it, or put the text in quotes"},
	{"{% if x %}\na: 1\n{% endif %}\n", "1:2: a template stands here; fill it in first"},
	{"a: {%- x %}\n", "1:5: a template stands here; fill it in first"},
	{"a: % b\n", "1:4: a value can't begin with '%'; put it in quotes"},
	{"a: , b\n", "1:4: a value can't begin with ','; put it in quotes"},
	{"[a, , b]\n", "1:5: a value can't begin with ','; put it in quotes"},
	{"a: [", "1:4: the '[' is not closed; write ']' where it ends"},
	{"a: [b, {c: [d\n", "1:12: the '[' is not closed"},
	/* did not find expected '-' indicator */
	{"- a\nb: 1\n", "2:1: the line is in no item of the list that begins in line 1; begin it "
			"with '- '"},
	{"- \"a\" b\n", "1:7: " NOTHING_BEHIND},
	{"- [a]]\n", "1:6: ']' closes nothing"},
	/* did not find expected key */
	{"a:\n    b: 1\n  c: 2\n", "3:3: the line is aligned with no key; align it with the map "
				   "that begins in line 1"},
	{"a: 1\n- b\n",
		"2:1: a list's item can't stand among the keys of the map that begins in line 1"},
	{"a: 'it's'\n", "1:8: " NOTHING_BEHIND " (in '...' a quote is written twice)"},
	{"a: {{ x }}-y\n",
		"1:5: a map can't be a key; quote it, if it is a template, or put '? ' before it"},
	/* did not find expected ',' or ']' or '}' */
	{"a: [1, 2\nb: 3\nc: 4\n", "1:4: the '[' is not closed; write ']' where it ends"},
	{"x: 1\na: {b: c\n", "2:4: the '{' is not closed; write '}' where it ends"},
	{"a: {b: [1, 2}\n", "1:8: the '[' is not closed; write ']' where it ends"},
	{"- x\n- y: [\n  \"z ]\", # ]\n- w\n", "2:6: the '[' is not closed"},
	{"{\n\"a\": 1\n\"b\": 2\n}\n", "3:4: ',' or '}' is missing here, inside the '{' of line 1"},
	{"a: [\n  \"x\"\n  \"y\"\n]\n",
		"3:3: ',' or ']' is missing here, inside the '[' of line 1"},
	{"a: [b: c: d]\n",
		"1:9: ',' or ']' is missing here; put a text with special characters in quotes"},

	/* Characters. */
	{"a: \xFF\n", "1:4: is not UTF-8 (byte 0xFF); save it as UTF-8"},
	{"a: \xC3(\n", "1:4: is not UTF-8 (byte 0xC3)"},
	{"a: b\xE2\x82", "1:5: is not UTF-8 (byte 0xE2)"},
	{"a: b\xE2\x82\n", "1:5: is not UTF-8 (byte 0xE2)"},
	{"a: \"\xC3\xA9\xE2\x82\"\n", "1:6: is not UTF-8 (byte 0xE2)"},
	{"x: 1\na: caf\xE9 au\n", "2:7: is not UTF-8 (byte 0xE9)"},
	{"a: b\xC3", "1:5: is not UTF-8 (byte 0xC3)"},
	{"a: \x80\n", "1:4: is not UTF-8 (byte 0x80)"},
	{"a: \xED\xA0\x80\n", "1:4: is not UTF-8 (byte 0xED)"},
	{"a: \xF0\x9F\x98\n", "1:4: is not UTF-8 (byte 0xF0)"},
	{"a: \x01\n", "1:4: the character U+0001 is not allowed; write it as an escape"},
	{"a: 1\n\xEF\xBB\xBF"
	 "b: 2\n",
		"2:1: a byte order mark (U+FEFF) stands in the middle of the file; remove it"},
};

TEST(each_fault_is_reported_in_our_words_where_it_is_to_be_mended)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const char *told = yaml_problem(all[i].text);

		if (strncmp(told, all[i].start, strlen(all[i].start)) != 0)
			print_message("%s\nis told as  %s\nand not as  %s\n", all[i].text, told,
				all[i].start),
				wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void no_text_is_reported_in_words_of_libyaml(const char *text, size_t len)
{
	static const char *const words[] = {"is no YAML from here on", "while ", "did not ",
		"could not ", "not allowed in this", "found character", "found un", "found in",
		"found dup", "found a tab", "token"};
	const struct source source = {.name = ""};
	struct read_options options = {.format = &format_yaml, .limits = limits_untimed()};
	struct document *document = NULL;
	struct problem problem;

	int r = document_read(&source, (struct span){text, len}, &options, &document, &problem);
	document_free(document);
	if (r == 0)
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(problem.message, words[i]))
			fail_msg("%.*s\nis told as  %s", (int)len, text, problem.message);
	if (problem.line == 0 || problem.column == 0)
		fail_msg("%.*s\nhas no place: %s", (int)len, text, problem.message);
}

/* All texts of four of these bytes, and some longer ones. */
TEST(whatever_is_wrong_has_a_place_and_our_words)
{
	static const char bytes[] = "a:- []{},'\"\\|>&*!%@`#?\n\t0<x";
	const size_t count = sizeof(bytes) - 1;
	uint32_t seed = 1;
	char text[32];

	for (size_t i = 0; i < count * count * count * count; i++) {
		for (size_t j = 0, rest = i; j < 4; j++, rest /= count)
			text[j] = bytes[rest % count];
		no_text_is_reported_in_words_of_libyaml(text, 4);
	}
	for (int i = 0; i < 200000; i++) {
		for (size_t j = 0; j < sizeof(text); j++) {
			seed = seed * 1103515245u + 12345u;
			text[j] = bytes[(seed >> 16) % count];
		}
		no_text_is_reported_in_words_of_libyaml(text, sizeof(text));
	}
}
