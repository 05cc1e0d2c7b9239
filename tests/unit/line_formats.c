/* What each format of lines reads, refuses and writes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "reading.h"
#include "scalar.h"
#include "test.h"

struct example {
	const char *text;
	const char *yaml; /* the same values */
};

/* Reads the text; its written form reads as the same values. */
static void assert_examples(const struct format *format, const struct example *examples)
{
	for (; examples->text; examples++) {
		struct read_options options = {.format = format};
		CLEANUP(document_freep)
		struct document *document = read_with(options, span_of(examples->text));
		CLEANUP(document_freep) struct document *expected = read_yaml(examples->yaml);
		CLEANUP(document_freep) struct document *again = NULL;
		struct span text;

		assert_int_equal(document->count, 1);
		if (!node_equal(document->roots[0], expected->roots[0]))
			fail_msg("%s reads as %s", examples->text,
				write_as(document->roots[0], &format_yaml, document->arena).data);
		text = write_as(document->roots[0], format, document->arena);
		again = read_with(options, text);
		if (!node_equal(again->roots[0], expected->roots[0]))
			fail_msg("%s is written as %s", examples->text, text.data);
		assert_written(format, text.data, format, text.data);
	}
}

struct fault {
	const char *text;
	const char *problem;
};

static void assert_faults(const struct format *format, const struct fault *faults)
{
	for (; faults->text; faults++)
		assert_string_equal(problem_with((struct read_options){.format = format},
					    span_of(faults->text)),
			faults->problem);
}

/* YAML that the format can't hold. */
static void assert_refused(const struct format *format, const struct fault *faults)
{
	for (; faults->text; faults++) {
		CLEANUP(document_freep) struct document *document = read_yaml(faults->text);
		struct limits limits = {0};
		struct problem problem;
		struct span text;
		char shown[64];

		if (document_write(document->roots[0], format, &limits, document->arena, &text,
			    &problem) != PROBLEM)
			fail_msg("%s is written as %s", faults->text, text.data);
		snprintf(shown, sizeof(shown), "%u:%u", problem.line, problem.column);
		if (strcmp(shown, faults->problem) != 0)
			fail_msg("%s: %s: %s", faults->text, shown, problem.message);
	}
}

TEST(ini_is_sections_of_texts)
{
	static const struct example examples[] = {
		{"a=1", "{a: '1'}"},
		{" a  =  1  \n\n[s]\nb=2\n", "{a: '1', s: {b: '2'}}"},
		{"; c\n# c\n[s] ; c\nb = 'x' ; y\n", "{s: {b: \"'x' ; y\"}}"},
		{"[s]\nskip\nempty=\n", "{s: {skip: null, empty: ''}}"},
		{"[s]\na: 1\nb: c = d\n", "{s: {a: '1', 'b: c': d}}"},
		{"[s]\na=1\n[t]\n[s]\nb=2\n", "{s: {a: '1', b: '2'}, t: {}}"},
		{"[s]\na=1\na=2\n", "{s: {a: '2'}}"},
		{"[s]\na=\n x\n\n y=1\n # c\nb=2\n", "{s: {a: \"\\nx\\n\\ny=1\", b: '2'}}"},
		{"[s]\n  a=1\n  b=2\n c=3\n", "{s: {a: '1', b: '2', c: '3'}}"},
		{"[s]\na\n  b=1\n", "{s: {a: null, b: '1'}}"},
		{"[remote \"x\"]\nurl=~\n", "{'remote \"x\"': {url: '~'}}"},
		{"[ s ]\r\na=1\r\n", "{' s ': {a: '1'}}"},
		{"\xEF\xBB\xBF[\xC3\xA4]\n<<=1\n", "{\xC3\xA4: {'<<': '1'}}"},
		{0},
	};

	assert_examples(&format_ini, examples);
}

TEST(ini_refuses_what_has_no_meaning)
{
	static const struct fault faults[] = {
		{"a=1\n[s\n", "2:1: the section's name does not end; a closing ] is missing"},
		{"[]\n", "1:1: the section has no name; write it in the []"},
		{"[s]x\n", "1:4: something stands behind the section's ]; put it on a line of its "
			   "own"},
		{"[s]\n =1\n", "2:2: there is no key before the '='; write one"},
		{"s=1\n[s]\n", "2:2: the section has the name of the key in line 1, and a path "
			       "can't lead to both; rename one"},
		{"[s]\n\xC3\xA4=\xFF\n", "2:3: is not UTF-8; save it as UTF-8"},
		{0},
	};
	struct read_options options = {.format = &format_ini};

	assert_faults(&format_ini, faults);
	assert_string_equal(problem_with(options, (struct span){"[s]\na=\0", 7}),
		"2:3: has a NUL byte, which no text has; remove it");
}

TEST(ini_can_not_hold_what_is_no_text)
{
	static const struct fault faults[] = {
		{"[]", "1:1"},
		{"a", "1:1"},
		{"a: [1]", "1:4"},
		{"a: {b: {c: 1}}", "1:8"},
		{"a: {b: [1]}", "1:8"},
		{"a: ' x'", "1:4"},
		{"a: \"x\\n\"", "1:4"},
		{"a: \"x\\n# y\"", "1:4"},
		{"a: \"x\\n  y\"", "1:4"},
		{"a: \"x\\ry\"", "1:4"},
		{"a: \"x\\ry\\nz\"", "1:4"},
		{"a: \"x\\ny\\rz\"", "1:4"},
		{"a: \"\\0\"", "1:4"},
		{"a=b: 1", "1:1"},
		{"'#a': 1", "1:1"},
		{"'[a': 1", "1:1"},
		{"'': 1", "1:1"},
		{"\"\\uFEFF\": 1", "1:1"},
		{"'a: b': null", "1:1"},
		{"{1: a, '1': b}", "1:8"},
		{"{? [a] : b}", "1:4"},
		{"'a]': {b: c}", "1:1"},
		{0},
	};

	assert_refused(&format_ini, faults);
}

TEST(a_carriage_return_ends_a_line_where_the_program_says_so)
{
	static const struct fault faults[] = {
		{"a = 1 ; it's\rb\n",
			"1:13: a carriage return without a newline; end lines with a newline"},
		{"a = 1\n; it's\rb\n",
			"2:7: a carriage return without a newline; end lines with a newline"},
		{"a = b\rc\n",
			"1:6: a carriage return without a newline; end lines with a newline"},
		{0},
	};
	static const struct fault refused[] = {
		{"s: {a: \"x\\ry\"}", "1:8"},
		{0},
	};

	assert_faults(&format_php, faults);
	assert_faults(&format_configparser,
		(struct fault[]){{"[s]\na = b\rc = d\r\n",
					 "2:6: a carriage return without a newline; end lines with "
					 "a newline"},
			{0}});
	assert_refused(&format_configparser, refused);
	assert_written(&format_yaml, "a: \"x\\ry\"", &format_php, "a = \"x\ry\"\n");
	assert_written(&format_php, "a = \"x\ry\"\n", &format_php, "a = \"x\ry\"\n");
	assert_written(&format_git, "[s]\na = x\ry\n", &format_git, "[s]\na = x\ry\n");
}

TEST(git_has_no_names_for_which_it_refuses_the_file)
{
	static const char no_key[] = "2:1: a file of git's has no key of that name: it is made of "
				     "letters, digits and '-', and begins with a letter";
	static const char no_name[] = "1:1: a file of git's has no section of that name: it is "
				      "made of letters, digits, '-' and '.'; behind it may stand "
				      "a text in quotes";
	const struct fault faults[] = {{"[a]\nk_1=1\n", no_key}, {"[a]\n1k=1\n", no_key},
		{"[a]\nk k=1\n", no_key}, {"[a]\n\xC3\xA4=1\n", no_key}, {"[a]\nk_ # c\n", no_key},
		{"[a_b]\n", no_name}, {"[a b]\n", no_name}, {"[a ]\n", no_name},
		{"[a\"b\"]\n", no_name}, {"[a \"b\"c]\n", no_name}, {"[\"b\"]\n", no_name}, {0}};
	static const struct fault refused[] = {{"a: {k_1: 1}", "1:5"}, {"a: {1k: 1}", "1:5"},
		{"a: {k k: 1}", "1:5"}, {"a: {\xC3\xA4: 1}", "1:5"}, {"a_b: {k: 1}", "1:1"},
		{"a b: {k: 1}", "1:1"}, {"'a \"b': {k: 1}", "1:1"}, {"'a \"b\\': {k: 1}", "1:1"},
		{"'a \"b\" ': {k: 1}", "1:1"}, {0}};

	assert_faults(&format_git, faults);
	assert_refused(&format_git, refused);
	assert_written(&format_git, "[1-.]\nk-1=1\n[a  \"_]\\\" \"]\nk\n", &format_git,
		"[1-.]\nk-1 = 1\n\n[a  \"_]\\\" \"]\nk\n");
	assert_written(&format_git, "[.a]\nk=1\n[.]\nk=2\n[a.b \"c\"]\nk=3\n[a.D \"c\"]\n",
		&format_git, "[.a]\nk = 1\n\n[.]\nk = 2\n\n[a.b \"c\"]\nk = 3\n\n[a.D \"c\"]\n");
}

TEST(ini_writes_its_keys_before_its_sections)
{
	assert_written(&format_yaml, "{s: {a: 1, n: null, e: ''}, b: yes, t: {}}", &format_ini,
		"b = yes\n\n[s]\na = 1\nn\ne =\n\n[t]\n");
	assert_written(&format_ini, "[s]\na=1\nn=~\nx= x  y\n", &format_yaml,
		"s:\n  a: '1'\n  n: '~'\n  x: x  y\n");
}

TEST(systemd_repeats_a_key_as_a_list_that_nothing_empties)
{
	static const struct example examples[] = {
		{"[S]\nA=1\n", "{S: {A: '1'}}"},
		{"[S]\nA=1\nA=2\n[T]\n[S]\nA=3\n", "{S: {A: ['1', '2', '3']}, T: {}}"},
		{"[S]\nA=\n", "{S: {A: ''}}"},
		{"[S]\nA=1\nA=\nA=2\n", "{S: {A: ['', '2']}}"},
		{"[S]\nA=1\nA=2\nA=\n", "{S: {A: ''}}"},
		{"[S]\nA=1\nA=2\n[S]\nA=\nA=3\n", "{S: {A: ['', '3']}}"},
		{"[S]\nA=x \\\n# c\n; c\n  y \\\nz\nB=1\n", "{S: {A: 'x    y  z', B: '1'}}"},
		{"[S]\nA=x\\\\\nB=1\n", "{S: {A: 'x\\\\', B: '1'}}"},
		{"[S]\nA=x\\\n\nB=1\n", "{S: {A: x, B: '1'}}"},
		{"[S]\nA=x \\", "{S: {A: x}}"},
		{"[S]\n  A b = x=y # z \r\n", "{S: {A b: 'x=y # z'}}"},
		{"[Address]\nA=1\n[Match]\n[Address]\nA=2\nA=3\n",
			"{Address: [{A: '1'}, {A: ['2', '3']}], Match: {}}"},
		{"[Route]\n", "{Route: [{}]}"},
		{0},
	};
	static const struct fault faults[] = {
		{"A=1\n", "1:1: stands before the first section, where systemd ignores it; put it "
			  "behind a line such as [Service]"},
		{"[S]\n A\n",
			"2:2: is no section, no comment and no KEY=VALUE, and systemd ignores "
			"it; a '=' is missing, or a '#' in front"},
		{"[S]\n=1\n", "2:1: there is no key before the '='; write one"},
		{"[S\n", "1:1: the section's name does not end; a closing ] is missing"},
		{"[S] # c\n", "1:5: something stands behind the section's ]; put it on a line of "
			      "its own"},
		{"[S]\n# c\rA=1\r\n",
			"2:4: a carriage return without a newline; end lines with a newline"},
		{0},
	};
	static const struct fault refused[] = {
		{"a: 1", "1:1"},
		{"\"a\\rb\": {A: 1}", "1:1"},
		{"S: {\"A\\rB\": 1}", "1:5"},
		{"S: {A: \"x\\ry\"}", "1:8"},
		{"S: {A: null}", "1:8"},
		{"S: {A: {b: 1}}", "1:8"},
		{"S: {A: [[1]]}", "1:9"},
		{"S: {A: 'x\\'}", "1:8"},
		{"S: {A: \"x\\ny\"}", "1:8"},
		{"S: {A: [1, ' x']}", "1:12"},
		{"S: [{A: 1}, 2]", "1:13"},
		{0},
	};

	assert_examples(&format_systemd, examples);
	assert_faults(&format_systemd, faults);
	assert_refused(&format_systemd, refused);
	assert_written(&format_yaml, "{S: {A: [], B: [yes, 0644]}}", &format_systemd,
		"[S]\nA=\nB=yes\nB=0644\n");
}

TEST(keyfile_is_what_gkeyfile_takes)
{
	static const struct example examples[] = {
		{"# c\n [G] \n a = 1\nName[de_DE@x]=\\sb;c \n",
			"{G: {a: '1', 'Name[de_DE@x]': '\\sb;c '}}"},
		{"[G]\na=1\n[H]\n[G]\na=2\n", "{G: {a: '2'}, H: {}}"},
		{"[G]\n;a=\n", "{G: {;a: ''}}"},
		{"[G]\nEncoding=utf-8\n[H]\nEncoding=x\n",
			"{G: {Encoding: utf-8}, H: {Encoding: x}}"},
		{0},
	};
	static const struct fault faults[] = {
		{"a=1\n", "1:1: stands before the first group; put it behind a line such as "
			  "[Desktop Entry]"},
		{"[G]\na\n", "2:1: is no [group], no # comment and no KEY=VALUE; a '=' is missing, "
			     "or a '#' in front"},
		{"[G]\na[=1\n", "2:1: the key has a bracket that is none of a locale, as in "
				"Name[de]"},
		{"[G]\n[H]\n[G]\nEncoding = ISO-8859-1\n",
			"4:12: no program reads a keyfile that declares another encoding than "
			"UTF-8; save it as UTF-8 and remove the line"},
		{"[G[]\n", "1:1: the group's name has a '[' in it"},
		{"[G]x\n", "1:4: something stands behind the group's ]; put it on a line of its "
			   "own"},
		{0},
	};
	static const struct fault refused[] = {
		{"a: 1", "1:1"},
		{"G: {a: null}", "1:8"},
		{"G: {a: [1]}", "1:8"},
		{"G: {a: ' 1'}", "1:8"},
		{"G: {a: \"1\\n2\"}", "1:8"},
		{"G: {'a]': 1}", "1:5"},
		{"{\"\\e\": {a: 1}}", "1:2"},
		{"G: {Encoding: latin1}", "1:15"},
		{0},
	};

	assert_examples(&format_keyfile, examples);
	assert_faults(&format_keyfile, faults);
	assert_refused(&format_keyfile, refused);
}

TEST(env_has_quotes_as_docker_compose_has_them)
{
	static const struct example examples[] = {
		{"A=1\n# c\n; c\n export B = x y  # c\n", "{A: '1', B: x y}"},
		{"A=\nB=''\nC=\"\"\nD\n", "{A: '', B: '', C: '', D: null}"},
		{"A='x \\n $y' # c\nB=\"x \\n\\t\\\"\\\\ \\q $y\"\n",
			"{A: 'x \\n $y', B: \"x \\n\\t\\\"\\\\ \\\\q $y\"}"},
		{"A='1\n 2'\nB=\"1\r\n2\"\nC=3\n", "{A: \"1\\n 2\", B: \"1\\r\\n2\", C: '3'}"},
		{"A=x#y\nB=a\\b\nC=a\"b\"\nD='a\\\\'\nE='\\''\n",
			"{A: 'x#y', B: 'a\\b', C: 'a\"b\"', D: 'a\\\\', E: \"'\"}"},
		{"A: 1\nB:c=d\nC :\n", "{A: '1', B: c=d, C: ''}"},
		{"A=\"$x \\$y\"\n", "{A: \"$x $$y\"}"},
		{"export=1\nexport A=2\na.b-c=3\n", "{export: '1', A: '2', a.b-c: '3'}"},
		{"A=1\nA=2\n", "{A: '2'}"},
		{0},
	};
	static const struct fault faults[] = {
		{"A=1\n A B=1\n", "2:4: is not NAME=VALUE; a name has letters, digits, '_', '.', "
				  "'-', '[' and ']'"},
		{"A='x\\'\n", "1:3: the value does not end; a closing quote is missing"},
		{"A=\"x\ny\n", "1:3: the value does not end; a closing quote is missing"},
		{"A='x\ny'z\n", "2:3: something stands behind the closing quote; put all of the "
				"value in the quotes"},
		{0},
	};
	static const struct fault refused[] = {
		{"[a]", "1:1"},
		{"a: [1]", "1:4"},
		{"a: {b: 1}", "1:4"},
		{"a b: 1", "1:1"},
		{"a: \"\\0\"", "1:4"},
		{0},
	};

	assert_examples(&format_env, examples);
	assert_faults(&format_env, faults);
	assert_refused(&format_env, refused);
}

TEST(env_is_written_as_compose_and_systemd_both_read_it)
{
	assert_written(&format_env, "A=x # c\nB=x y\nC='$x'\nD=\"$x\"\nE=\"\\$x\"\n", &format_env,
		"A=x\nB=\"x y\"\nC='$x'\nD=\"$x\"\nE='$x'\n");
	assert_written(&format_yaml, "{A: \"x'\\\"$y\", B: '''$y', C: $x, D: 'x\\', E: \"a\\nb\"}",
		&format_env, "A=\"x'\\\"$y\"\nB=\"'\\$y\"\nC=$x\nD=\"x\\\\\"\nE=\"a\nb\"\n");
}

TEST(properties_have_three_separators_and_escapes)
{
	static const struct example examples[] = {
		{"a=1\n b : 2\nc 3\nd\te=f\ng\n=h\n",
			"{a: '1', b: '2', c: '3', d: 'e=f', g: '', '': h}"},
		{"# c\\\n! c\n \n\\\n#c\na=x,\\\r\n   y,\\\n# z\n", "{a: 'x,y,# z'}"},
		{"a\\ b\\:\\=\\#=\\ c\\t\\n\\r\\f\\q\\\\\n", "{'a b:=#': \" c\\t\\n\\r\\fq\\\\\"}"},
		{"a=\\u00e4\xC3\xA4\\uD83D\\uDE00\n", "{a: \xC3\xA4\xC3\xA4\xF0\x9F\x98\x80}"},
		{"a=\xE4\xA9\xE4\n", "{a: \xC3\xA4\xC2\xA9\xC3\xA4}"},
		{"a=\\u0000b\rb= c \r\nc=\\", "{a: \"\\0b\", b: 'c ', c: ''}"},
		{"a = = b\nc\\\n d=1\n", "{a: '= b', cd: '1'}"},
		{"a=1\na=2\n", "{a: '2'}"},
		{0},
	};
	static const struct fault faults[] = {
		{"a=1\nb=x\\u12g4\n", "2:4: \\u needs four hexadecimal digits"},
		{"a=\\ud800x\n", "1:3: half of a surrogate pair stands alone, and is no text"},
		{"a=\\udc00\n", "1:3: half of a surrogate pair stands alone, and is no text"},
		{0},
	};
	static const struct fault refused[] = {
		{"a: null", "1:4"},
		{"a: [1]", "1:4"},
		{"a: {b: 1}", "1:4"},
		{0},
	};

	assert_examples(&format_properties, examples);
	assert_faults(&format_properties, faults);
	assert_refused(&format_properties, refused);
	assert_written(&format_yaml, "{'#a b': ' \xC3\xA4\xF0\x9F\x98\x80 #=:', c: 1}",
		&format_properties, "\\#a\\ b=\\ \\u00E4\\uD83D\\uDE00 #=:\nc=1\n");
	assert_string_equal(problem_with((struct read_options){.format = &format_properties},
				    (struct span){"\xE4=1\nb=\0", 7}),
		"2:3: has a NUL byte, which no text has; remove it");
}

static const struct format *const line_formats[] = {
	&format_ini, &format_systemd, &format_keyfile, &format_env, &format_properties};

#define LINE_FORMATS (sizeof(line_formats) / sizeof(line_formats[0]))

TEST(text_that_says_nothing_has_no_root)
{
	for (size_t i = 0; i < LINE_FORMATS; i++) {
		CLEANUP(document_freep)
		struct document *document = read_with(
			(struct read_options){.format = line_formats[i]}, span_of("\n# c\r\n  "));

		assert_int_equal(document->count, 0);
	}
}

TEST(values_keep_the_limits)
{
	static const char *const texts[LINE_FORMATS] = {
		"a=1\nb=2\n", "[s]\na=2\n", "[s]\na=2\n", "a=1\nb=2\n", "a=1\nb=2\n"};

	for (size_t i = 0; i < LINE_FORMATS; i++) {
		struct read_options options = {.format = line_formats[i],
			.limits = {.source_bytes = 100, .depth = 2, .nodes = 3}};

		assert_non_null(strstr(problem_with(options, span_of(texts[i])), "'nodes'"));
		options.limits = (struct limits){.source_bytes = 5, .depth = 2, .nodes = 9};
		assert_non_null(strstr(problem_with(options, span_of(texts[i])), "'source'"));
	}
}

/* A line of 15 MB, and half a million of them: a quadratic algorithm would not end. */
TEST(a_long_line_and_many_repeats_take_linear_time)
{
	size_t len = 15u << 20;
	char *text = malloc(len + 1);

	assert_non_null(text);
	for (size_t i = 0; i < LINE_FORMATS; i++) {
		CLEANUP(document_freep) struct document *document = NULL;

		memset(text, 'x', len);
		memcpy(text, i < 3 ? "[s]\nk=" : "#s)\nk=", 6);
		document = read_with(
			(struct read_options){.format = line_formats[i]}, (struct span){text, len});
		assert_int_equal(document->count, 1);
	}
	for (size_t i = 0; i < LINE_FORMATS; i++) {
		CLEANUP(document_freep) struct document *document = NULL;
		struct limits limits = limits_untimed();
		size_t used = 0;

		limits.nodes = UINT32_MAX - 1;
		while (used < 2u << 20)
			used += (size_t)sprintf(
				text + used, "%s", i < 3 ? "[s]\nk=1\n[Route]\nm=2\n" : "k=1\n");
		document = read_with(
			(struct read_options){.format = line_formats[i], .limits = limits},
			(struct span){text, used});
		assert_int_equal(document->count, 1);
	}
	free(text);
}
