/* Where each line of a merged file is from, by table: sources in, a place for each line out. */
#include "line_origin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "source_line.h"
#include "strategy.h"
#include "test.h"

#define SOURCES_MAX 3

struct setting {
	struct options options;
	struct document *rule;
	struct merge_input inputs[SOURCES_MAX];
	struct merge_request request;
	struct merge_result *result;
	struct line_origins *origins;
};

/* A strategy, its options as YAML (or NULL), the format, and the sources from the lowest up. */
struct sources {
	const char *strategy;
	const char *options;
	const struct format *format;
	const struct format *to;
	const char *texts[SOURCES_MAX];
};

static void read_options(struct setting *setting, const char *text)
{
	const struct source source = {.name = "rule", .layer = ""};
	const struct read_options read = {.format = &format_yaml};
	struct problem problem;

	assert_int_equal(document_read(&source, span_of(text), &read, &setting->rule, &problem), 0);
	setting->options.map = setting->rule->roots[0];
	assert_int_equal(options_check(&setting->options, &problem), 0);
}

static void setting_init(struct setting *setting, const struct sources *sources)
{
	static const char *const names[SOURCES_MAX] = {"low", "mid", "high"};
	struct problem problem;

	*setting = (struct setting){
		.options = {.strategy = strategy_find(span_of(sources->strategy))}};
	if (sources->options)
		read_options(setting, sources->options);
	for (unsigned i = 0; i < SOURCES_MAX && sources->texts[i]; i++) {
		setting->inputs[i] = (struct merge_input){
			.source = {.name = names[i], .layer = names[i], .rank = i},
			.format = sources->format,
			.text = span_of(sources->texts[i]),
		};
		setting->request.count = i + 1;
	}
	setting->request.options = &setting->options;
	setting->request.inputs = setting->inputs;
	setting->request.to = sources->to;
	setting->request.wants_origins = true;
	int r = merge_run(&setting->request, &setting->result, &problem);
	if (r == PROBLEM)
		fail_msg("%s:%u: %s", problem.source, problem.line, problem.message);
	assert_int_equal(r, 0);
	assert_int_equal(
		line_origins_read(&setting->request, setting->result, &setting->origins), 0);
}

static void setting_fini(struct setting *setting)
{
	line_origins_free(setting->origins);
	merge_result_free(setting->result);
	document_free(setting->rule);
}

/* "high:2:7 port: 80"; "- }" for a line that is from no source. */
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

static void assert_lines(const struct sources *sources, const char *expected)
{
	struct setting setting;

	setting_init(&setting, sources);
	CLEANUP(freep) char *shown = show_lines(setting.origins);
	assert_string_equal(shown, expected);
	setting_fini(&setting);
}

#define DEEP(...) (&(struct sources){"deep", NULL, &format_yaml, &format_yaml, {__VA_ARGS__}})

TEST(value_reports_its_place_and_key_the_lowest_layer)
{
	assert_lines(DEEP("server:\n  port: 80\n  host: a\n",
			     "# changed\nserver:\n  port: 8080\nlog: debug\n"),
		"low:1:1 server:\n"
		"mid:3:9   port: 8080\n"
		"low:3:9   host: a\n"
		"mid:4:6 log: debug\n");
}

TEST(item_that_is_a_map_reports_its_first_value)
{
	assert_lines(
		&(struct sources){"deep", "lists: {'*': {by: name}}", &format_yaml, &format_yaml,
			{"jobs:\n- name: a\n  at: 1\n- name: b\n",
				"jobs:\n- {name: b, at: 2}\n- name: c\n"}},
		"low:1:1 jobs:\n"
		"low:2:9 - name: a\n"
		"low:3:7   at: 1\n"
		"mid:2:10 - name: b\n"
		"mid:2:17   at: 2\n"
		"mid:3:9 - name: c\n");
}

TEST(list_in_one_line_is_from_where_it_begins)
{
	assert_lines(DEEP("a: [x]\nb: 1\n", "a: !append [y]\n", "b: {c: [], d: 2}\n"),
		"low:1:4 a: [x, y]\n"
		"high:1:4 b: {c: [], d: 2}\n");
}

TEST(lists_in_each_other_tell_the_innermost_value)
{
	assert_lines(DEEP("a:\n- - - x\n    - y\n  - z\n", "b:\n"), "low:1:1 a:\n"
								    "low:2:7 - - - x\n"
								    "low:3:7     - y\n"
								    "low:4:5   - z\n"
								    "mid:1:3 b:\n");
}

TEST(literal_text_goes_on_in_the_lines_of_the_source)
{
	assert_lines(DEEP("a: 1\nt: |\n    one\n\n      two\nb: 2\n", "a: 2\n"), "mid:1:4 a: 2\n"
										 "low:2:4 t: |\n"
										 "low:3:1   one\n"
										 "low:4:1 \n"
										 "low:5:1     two\n"
										 "low:6:4 b: 2\n");
}

TEST(literal_text_at_the_end_is_not_forgotten)
{
	assert_lines(DEEP("a: 1\n", "t: |+\n  one\n\n"), "low:1:4 a: 1\n"
							 "mid:1:4 t: |+\n"
							 "mid:2:1   one\n"
							 "mid:3:1 \n");
}

/* The source has other line breaks; each line then points at the value's beginning. */
TEST(folded_text_is_from_where_it_begins)
{
	assert_lines(DEEP("a: 1\nt: >\n  one\n  two\n\n  three\n", "a: 2\n"), "mid:1:4 a: 2\n"
									      "low:2:4 t: >\n"
									      "low:2:4   one two\n"
									      "low:2:4 \n"
									      "low:2:4   three\n");
	/* Here the source has the same line breaks. */
	assert_lines(DEEP("a: 1\nt: >\n  one\n\n  three\n", "a: 2\n"), "mid:1:4 a: 2\n"
								       "low:2:4 t: >\n"
								       "low:3:1   one\n"
								       "low:4:1 \n"
								       "low:5:1   three\n");
}

/* The header may be a line of the source: nothing is guessed. */
TEST(literal_text_behind_a_tag_in_a_line_of_its_own_is_from_the_tag)
{
	assert_lines(DEEP("a: 1\nt: !x\n  |\n  one\n  two\n", "a: 2\n"), "mid:1:4 a: 2\n"
									 "low:2:4 t: !x |\n"
									 "low:2:4   one\n"
									 "low:2:4   two\n");
}

TEST(key_that_is_no_word_has_its_lines)
{
	assert_lines(DEEP("? |\n  long\n  key\n: v\n? [a, b]\n: {c: d}\n", "z: 1\n"),
		"low:4:3 \"long\\nkey\\n\": v\n"
		"low:5:3 ? [a, b]\n"
		"low:6:3 : {c: d}\n"
		"mid:1:4 z: 1\n");
}

TEST(tags_and_empty_values_have_a_place)
{
	assert_lines(DEEP("a: !x\n  b: 1\nc:\n", "d: ''\ne:\n-\n- !y\n"), "low:1:1 a: !x\n"
									  "low:2:6   b: 1\n"
									  "low:3:3 c:\n"
									  "mid:1:4 d: ''\n"
									  "mid:2:1 e:\n"
									  "mid:3:2 -\n"
									  "mid:4:3 - !y\n");
}

TEST(closing_bracket_of_json_is_of_no_source)
{
	assert_lines(&(struct sources){"deep", NULL, &format_json, &format_json,
			     {"{\"a\": {\"b\": 1},\n\"l\": [1,\n{}]}",
				     "{\n\"a\": {\"c\": \"x\"}, \"l\": [{\"d\": 2}]}"}},
		"low:1:1 {\n"
		"low:1:2   \"a\": {\n"
		"low:1:13     \"b\": 1,\n"
		"mid:2:12     \"c\": \"x\"\n"
		"-   },\n"
		"low:2:1   \"l\": [\n"
		"mid:2:24     {\n"
		"mid:2:30       \"d\": 2\n"
		"-     }\n"
		"-   ]\n"
		"- }\n");
}

TEST(yaml_written_as_json_reports_the_same_places)
{
	assert_lines(&(struct sources){"deep", NULL, &format_yaml, &format_json,
			     {"t: |\n  one\n  two\n0x10: .5\n", "b: yes\n"}},
		"low:1:1 {\n"
		"low:1:4   \"t\": \"one\\ntwo\\n\",\n"
		"low:4:7   \"16\": 0.5,\n"
		"mid:1:4   \"b\": true\n"
		"- }\n");
}

TEST(comment_on_top_is_of_no_source)
{
	assert_lines(&(struct sources){"cloud-init", NULL, &format_yaml, &format_yaml,
			     {"#cloud-config\na: 1\n", "#cloud-config\nb: 2\n"}},
		"- #cloud-config\n"
		"low:2:4 a: 1\n"
		"mid:2:4 b: 2\n");
}

TEST(file_of_one_layer_is_counted)
{
	assert_lines(DEEP("# comment\r\na: 1\r\n\r\nb: 2"), "low:1:1 # comment\n"
							    "low:2:1 a: 1\n"
							    "low:3:1 \n"
							    "low:4:1 b: 2\n");
}

TEST(whole_files_are_counted_one_by_one)
{
	assert_lines(
		&(struct sources){"concat", "separator: --", NULL, NULL, {"a\nb", "", "c\n\nd\n"}},
		"low:1:1 a\n"
		"low:2:1 b\n"
		"- --\n"
		"high:1:1 c\n"
		"high:2:1 \n"
		"high:3:1 d\n");
	assert_lines(&(struct sources){"last", NULL, NULL, NULL, {"a\n", "b\nc"}}, "mid:1:1 b\n"
										   "mid:2:1 c\n");
}

TEST(nothing_has_no_lines)
{
	assert_lines(DEEP("", "# nothing\n"), "");
	assert_lines(&(struct sources){"deep", NULL, &format_json, &format_json, {"null", "null"}},
		"mid:1:1 null\n");
}

/* Further origins of a line are those of its values. */
TEST(values_are_listed_by_line_with_their_keys)
{
	struct setting setting;

	setting_init(&setting, DEEP("a:\n  b: [x, {c: y}]\n", "d: 1\n"));
	const struct line_origins *origins = setting.origins;
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
	setting_fini(&setting);
}

/* A tree that the text does not have: as if the writer had made a mistake. */
TEST(lines_that_do_not_fit_the_tree_have_no_origin)
{
	struct setting setting;
	struct line_origins *origins;

	setting_init(&setting, DEEP("a: 1\nb: {c: 1}\nd: [1, 2]\n", "e: 1\n"));
	setting.result->text = span_of("a: [1]\nb: {c: 1, x: 2}\nd: [1, 2]\ne: 1\n");
	assert_int_equal(line_origins_read(&setting.request, setting.result, &origins), 0);
	CLEANUP(freep) char *shown = show_lines(origins);
	assert_string_equal(shown,
		"low:1:1 a: [1]\nlow:2:1 b: {c: 1, x: 2}\nlow:3:4 d: [1, 2]\nmid:1:4 e: 1\n");
	line_origins_free(origins);

	setting.result->text = span_of("a: 1\nb: 2\n");
	assert_int_equal(line_origins_read(&setting.request, setting.result, &origins), 0);
	CLEANUP(freep) char *fewer = show_lines(origins);
	assert_string_equal(fewer, "- a: 1\n- b: 2\n");
	line_origins_free(origins);

	setting.result->text = span_of("a: [\n");
	assert_int_equal(line_origins_read(&setting.request, setting.result, &origins), 0);
	CLEANUP(freep) char *broken = show_lines(origins);
	assert_string_equal(broken, "- a: [\n");
	line_origins_free(origins);
	setting_fini(&setting);
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
