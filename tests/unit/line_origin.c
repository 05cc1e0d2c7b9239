/* Where each line of a merged file is from, by table: sources in, a place for each line out. */
#include "line_origin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "merging.h"

/* A strategy, its options as YAML (or NULL), the format, and the sources from the lowest up. */
struct sources {
	const char *strategy;
	const char *options;
	const struct format *format;
	const struct format *to;
	const char *texts[SOURCES_MAX + 1];
};

static void set_sources(struct setting *setting, const struct sources *sources)
{
	set(setting, sources->strategy, sources->options, sources->texts);
	for (size_t i = 0; i < setting->request.count; i++)
		setting->inputs[i].format = sources->format;
	setting->request.to = sources->to;
	setting->request.wants_origins = true;
	must_run(setting);
}

/* "c:2:7 port: 80"; "- }" for a line that is from no source. */
static char *show_lines(const struct line_origins *origins)
{
	char *shown;
	size_t len;
	FILE *out = open_memstream(&shown, &len);

	for (size_t i = 0; i < origins->count; i++) {
		const struct line *line = &origins->lines[i];

		if (line->source)
			fprintf(out, "%s:%u:%u ", line->source->name, line->source_line,
				line->source_column);
		else
			fputs("- ", out);
		fprintf(out, "%.*s\n", (int)line->text.len, line->text.data);
	}
	fclose(out);
	return shown;
}

static void assert_lines(const char *decision, const struct setting *setting, const char *expected)
{
	struct line_origins *origins;

	assert_int_equal(line_origins_read(&setting->request, setting->result, &origins), 0);
	CLEANUP(freep) char *shown = show_lines(origins);
	if (strcmp(shown, expected) != 0)
		fail_msg("%s:\n%s--- and not\n%s", decision, shown, expected);
	line_origins_freep(&origins);
}

#define YAML &format_yaml, &format_yaml
#define DEEP "deep", NULL, YAML
#define INI "deep", NULL, &format_configparser, &format_configparser

TEST(each_line_is_from_a_place_of_a_source)
{
	static const struct {
		const char *decision;
		struct sources sources;
		const char *expected;
	} rows[] = {
		{"value reports its place and key the lowest layer",
			{DEEP, {"server:\n  port: 80\n  host: a\n",
				       "# changed\nserver:\n  port: 8080\nlog: debug\n"}},
			"a:1:1 server:\n"
			"b:3:9   port: 8080\n"
			"a:3:9   host: a\n"
			"b:4:6 log: debug\n"},
		{"item that is a map reports its first value",
			{"deep", "lists: {'*': {by: name}}", YAML,
				{"jobs:\n- name: a\n  at: 1\n- name: b\n",
					"jobs:\n- {name: b, at: 2}\n- name: c\n"}},
			"a:1:1 jobs:\n"
			"a:2:9 - name: a\n"
			"a:3:7   at: 1\n"
			"b:2:10 - name: b\n"
			"b:2:17   at: 2\n"
			"b:3:9 - name: c\n"},
		{"list in one line is from where it begins",
			{DEEP, {"a: [x]\nb: 1\n", "a: !append [y]\n", "b: {c: [], d: 2}\n"}},
			"a:1:4 a: [x, y]\n"
			"c:1:4 b: {c: [], d: 2}\n"},
		{"lists in each other tell the innermost value",
			{DEEP, {"a:\n- - - x\n    - y\n  - z\n", "b:\n"}},
			"a:1:1 a:\n"
			"a:2:7 - - - x\n"
			"a:3:7     - y\n"
			"a:4:5   - z\n"
			"b:1:3 b:\n"},
		{"literal text goes on in the lines of the source",
			{DEEP, {"a: 1\nt: |\n    one\n\n      two\nb: 2\n", "a: 2\n"}},
			"b:1:4 a: 2\n"
			"a:2:4 t: |\n"
			"a:3:1   one\n"
			"a:4:1 \n"
			"a:5:1     two\n"
			"a:6:4 b: 2\n"},
		{"literal text at the end is not forgotten", {DEEP, {"a: 1\n", "t: |+\n  one\n\n"}},
			"a:1:4 a: 1\n"
			"b:1:4 t: |+\n"
			"b:2:1   one\n"
			"b:3:1 \n"},
		/* The source has other line breaks; each line then points at the beginning. */
		{"folded text is from where it begins",
			{DEEP, {"a: 1\nt: >\n  one\n  two\n\n  three\n", "a: 2\n"}},
			"b:1:4 a: 2\n"
			"a:2:4 t: >\n"
			"a:2:4   one two\n"
			"a:2:4 \n"
			"a:2:4   three\n"},
		/* Here the source has the same line breaks. */
		{"folded text is from where it begins",
			{DEEP, {"a: 1\nt: >\n  one\n\n  three\n", "a: 2\n"}},
			"b:1:4 a: 2\n"
			"a:2:4 t: >\n"
			"a:3:1   one\n"
			"a:4:1 \n"
			"a:5:1   three\n"},
		/* The header may be a line of the source: nothing is guessed. */
		{"literal text behind a tag in a line of its own is from the tag",
			{DEEP, {"a: 1\nt: !x\n  |\n  one\n  two\n", "a: 2\n"}},
			"b:1:4 a: 2\n"
			"a:2:4 t: !x |\n"
			"a:2:4   one\n"
			"a:2:4   two\n"},
		{"value of ini goes on in the lines of the source, whatever their indent",
			{INI, {"[a]\nt = one\n  two \n\n    ; x\n  # y\n  three\n    four\nb = 1\n",
				      "[a]\nb = 2\nc =\n\tx\n"}},
			"a:1:2 [a]\n"
			"a:2:5 t = one\n"
			"a:3:1 \ttwo\n"
			"a:4:1 \n"
			"a:7:1 \tthree\n"
			"a:8:1 \tfour\n"
			"b:2:5 b = 2\n"
			"b:3:4 c =\n"
			"b:4:1 \tx\n"},
		{"key that is no word has its lines",
			{DEEP, {"? |\n  long\n  key\n: v\n? [a, b]\n: {c: d}\n", "z: 1\n"}},
			"a:4:3 \"long\\nkey\\n\": v\n"
			"a:5:3 ? [a, b]\n"
			"a:6:3 : {c: d}\n"
			"b:1:4 z: 1\n"},
		{"tags and empty values have a place",
			{DEEP, {"a: !x\n  b: 1\nc:\n", "d: ''\ne:\n-\n- !y\n"}},
			"a:1:1 a: !x\n"
			"a:2:6   b: 1\n"
			"a:3:3 c:\n"
			"b:1:4 d: ''\n"
			"b:2:1 e:\n"
			"b:3:2 -\n"
			"b:4:3 - !y\n"},
		{"closing bracket of json is of no source",
			{"deep", NULL, &format_json, &format_json,
				{"{\"a\": {\"b\": 1},\n\"l\": [1,\n{}]}",
					"{\n\"a\": {\"c\": \"x\"}, \"l\": [{\"d\": 2}]}"}},
			"a:1:1 {\n"
			"a:1:2   \"a\": {\n"
			"a:1:13     \"b\": 1,\n"
			"b:2:12     \"c\": \"x\"\n"
			"-   },\n"
			"a:2:1   \"l\": [\n"
			"b:2:24     {\n"
			"b:2:30       \"d\": 2\n"
			"-     }\n"
			"-   ]\n"
			"- }\n"},
		{"yaml written as json reports the same places",
			{"deep", NULL, &format_yaml, &format_json,
				{"t: |\n  one\n  two\n0x10: .5\n", "b: yes\n"}},
			"a:1:1 {\n"
			"a:1:4   \"t\": \"one\\ntwo\\n\",\n"
			"a:4:7   \"16\": 0.5,\n"
			"b:1:4   \"b\": true\n"
			"- }\n"},
		{"comment on top is of no source",
			{"cloud-init", NULL, YAML,
				{"#cloud-config\na: 1\n", "#cloud-config\nb: 2\n"}},
			"- #cloud-config\n"
			"a:2:4 a: 1\n"
			"b:2:4 b: 2\n"},
		{"file of one layer is counted", {DEEP, {"# comment\r\na: 1\r\n\r\nb: 2"}},
			"a:1:1 # comment\n"
			"a:2:1 a: 1\n"
			"a:3:1 \n"
			"a:4:1 b: 2\n"},
		{"whole files are counted one by one",
			{"concat", "separator: --", NULL, NULL, {"a\nb", "", "c\n\nd\n"}},
			"a:1:1 a\n"
			"a:2:1 b\n"
			"- --\n"
			"c:1:1 c\n"
			"c:2:1 \n"
			"c:3:1 d\n"},
		{"a file in two parts is counted on",
			{"concat", "blocks: M", NULL, NULL, {"a\nM 1\n b", "c"}},
			"a:1:1 a\n"
			"b:1:1 c\n"
			"a:2:1 M 1\n"
			"a:3:1  b\n"},
		{"whole files are counted one by one", {"last", NULL, NULL, NULL, {"a\n", "b\nc"}},
			"b:1:1 b\n"
			"b:2:1 c\n"},
		{"nothing has no lines", {DEEP, {"", "# nothing\n"}}, ""},
		{"nothing has no lines",
			{"deep", NULL, &format_json, &format_json, {"null", "null"}},
			"b:1:1 null\n"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(setting_fini) struct setting setting;

		set_sources(&setting, &rows[i].sources);
		assert_lines(rows[i].decision, &setting, rows[i].expected);
	}
}

/* Further origins of a line are those of its values. */
TEST(values_are_listed_by_line_with_their_keys)
{
	static const struct sources sources = {DEEP, {"a:\n  b: [x, {c: y}]\n", "d: 1\n"}};
	CLEANUP(setting_fini) struct setting setting;
	struct line_origins *origins;

	set_sources(&setting, &sources);
	assert_int_equal(line_origins_read(&setting.request, setting.result, &origins), 0);
	assert_int_equal(origins->value_count, 7);
	assert_int_equal(origins->values[0].parent, LINE_VALUE_NONE);
	assert_int_equal(origins->lines[0].count, 2); /* the root, and a */
	assert_string_equal(origins->values[1].key->text.data, "a");
	assert_false(origins->values[1].is_in_line);
	assert_int_equal(origins->lines[1].first, 2);
	assert_int_equal(origins->lines[1].count, 4); /* b, x, the map, c */
	assert_int_equal(origins->values[4].parent, 2);
	assert_int_equal(origins->values[4].index, 1);
	assert_null(origins->values[4].key);
	assert_string_equal(origins->values[5].key->text.data, "c");
	assert_true(origins->values[2].is_in_line);
	line_origins_freep(&origins);
}

/* A tree that the text does not have: as if the writer had made a mistake. */
TEST(lines_that_do_not_fit_the_tree_have_no_origin)
{
	static const struct sources sources = {DEEP, {"a: 1\nb: {c: 1}\nd: [1, 2]\n", "e: 1\n"}};
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{"a: [1]\nb: {c: 1, x: 2}\nd: [1, 2]\ne: 1\n",
			"a:1:1 a: [1]\na:2:1 b: {c: 1, x: 2}\na:3:4 d: [1, 2]\nb:1:4 e: 1\n"},
		{"a: 1\nb: 2\n", "- a: 1\n- b: 2\n"},
		{"a: [\n", "- a: [\n"},
	};
	CLEANUP(setting_fini) struct setting setting;

	set_sources(&setting, &sources);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setting.result->text = span_of(rows[i].text);
		assert_lines("a mistake", &setting, rows[i].expected);
	}
}

TEST(line_of_a_text_is_found_by_its_number)
{
	struct arena *arena;
	char text[4 * 200];
	size_t len = 0;
	struct span line;

	for (unsigned i = 1; i <= 200; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%u\n", i);
	assert_int_equal(arena_new(&arena), 0);
	/* With and without a newline at the end; the last line has a mark, or not. */
	for (size_t cut = 0; cut < 40; cut++) {
		struct source_lines lines = {.text = {text, len - cut}};
		size_t count = source_lines_count(lines.text);

		for (size_t i = count; i >= 1; i--) {
			assert_int_equal(source_lines_get(&lines, i, arena, &line), 0);
			assert_int_equal(strtoul(line.data, NULL, 10) >= i || i == count, true);
			if (i < count)
				assert_int_equal(strtoul(line.data, NULL, 10), i);
		}
		assert_int_equal(source_lines_get(&lines, count + 1, arena, &line), -ENOENT);
		assert_int_equal(source_lines_get(&lines, 0, arena, &line), -ENOENT);
	}
	arena_free(arena);
}
