/*
 * Messages about a schema that can't be used, and about a tree that does not match its schema.
 * Neither takes long, whatever they are.
 */
#include "schema.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "repeat.h"
#include "test.h"

/* Seconds that a validation may take, with sanitizers and on a busy machine. */
#define SECONDS_MAX 90

/* Bytes of the largest array that a run may keep: far more than any needs. */
#define ARRAY_MAX (16u << 20)

/* A larger array would slow the other tests down. */
#define ARRAY_GIVEN (256u << 20)

void *__real_reallocarray(void *data, size_t count, size_t size);
void *__wrap_reallocarray(void *data, size_t count, size_t size);

static size_t largest_array;

/* The linker sends reallocarray(3) here. */
void *__wrap_reallocarray(void *data, size_t count, size_t size)
{
	if (count * size > largest_array)
		largest_array = count * size;
	if (count * size > ARRAY_GIVEN)
		return NULL;
	return __real_reallocarray(data, count, size);
}

static struct schema *read_schema(const char *text)
{
	const struct schema_text text_of = {
		{.name = "s.json", .layer = ""}, span_of(text), &format_yaml, {NULL, 0}};
	struct schema *schema = NULL;
	struct problem problem = {0};

	if (schema_read(&text_of, NULL, &schema, &problem) != 0)
		fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
	return schema;
}

static void refuses(const char *text, const char *expected)
{
	const struct schema_text text_of = {
		{.name = "s.json", .layer = ""}, span_of(text), &format_yaml, {NULL, 0}};
	struct schema *schema = NULL;
	struct problem problem = {0};
	char told[PROBLEM_MESSAGE_MAX + 64];

	assert_int_equal(schema_read(&text_of, NULL, &schema, &problem), PROBLEM);
	assert_null(schema);
	(void)problem_format(&problem, told, sizeof(told));
	if (strncmp(told, expected, strlen(expected)) != 0)
		fail_msg("%s\nand not: %s", told, expected);
}

struct judged {
	struct arena *arena;
	struct document *document;
	struct schema *schema;
	struct faults faults;
	struct problem problem;
	int result;
};

static void judge_as(
	const char *schema, const char *text, const struct format *format, struct judged *ret)
{
	const struct source source = {.name = "app", .layer = "site"};
	const struct read_options options = {.format = format};

	*ret = (struct judged){.schema = read_schema(schema)};
	assert_int_equal(arena_new(&ret->arena), 0);
	assert_int_equal(
		document_read(&source, span_of(text), &options, &ret->document, &ret->problem), 0);
	ret->result = schema_validate(
		ret->schema, ret->document->roots[0], ret->arena, &ret->faults, &ret->problem);
}

static void judged_fini(struct judged *judged)
{
	document_free(judged->document);
	schema_free(judged->schema);
	arena_free(judged->arena);
}

/* Each fault is "LINE:COLUMN: MESSAGE" up to the schema's place, with newlines between. */
static void reports(
	const char *schema, const char *text, const struct format *format, const char *expected)
{
	CLEANUP(judged_fini) struct judged judged;
	char told[65536] = "";

	judge_as(schema, text, format, &judged);
	assert_int_equal(judged.result, 0);
	for (uint32_t i = 0; i < judged.faults.count; i++) {
		struct problem problem;
		char line[PROBLEM_MESSAGE_MAX + 64];

		fault_problem(&judged.faults.items[i], &problem);
		(void)snprintf(line, sizeof(line), "%s%u:%u: %s", i ? "\n" : "", problem.line,
			problem.column, problem.message);
		strncat(told, line, sizeof(told) - strlen(told) - 1);
	}
	if (strcmp(told, expected) != 0)
		fail_msg("%s\nand not: %s", told, expected);
}

static void tells(const char *schema, const char *text, const char *expected)
{
	reports(schema, text, &format_yaml, expected);
}

TEST(what_can_not_be_carried_out_is_refused_with_its_place)
{
	refuses("$schema: http://json-schema.org/draft-03/schema#\n",
		"s.json:1:10: the schema is written in "
		"'http://json-schema.org/draft-03/schema#', which plyfs does not know; it knows "
		"the "
		"drafts 4, 6, 7, 2019-09 and 2020-12, such as");
	tells("$schema: https://json-schema.org/schema\nprefixItems: [{type: string}]\n", "[1]\n",
		"1:2: [0] must be a string, but is 1 (s.json#/prefixItems/0/type)");
	refuses("a: 1\n$ref: other.json#/x\n",
		"s.json:2:7: 'other.json#/x' is another document, which plyfs does not fetch; copy "
		"it into this one, below '$defs'");
	refuses("$ref: '#/$defs/a'\n", "s.json:1:7: '#/$defs/a' leads to nothing in the schema");
	refuses("$ref: '#a'\n", "s.json:1:7: there is no anchor 'a'");
	refuses("pattern: 'a++'\n",
		"s.json:1:10: the pattern 'a++' can't be used: there is nothing to repeat before "
		"'+'");
	refuses("pattern: '(?i)a'\n",
		"s.json:1:10: the pattern '(?i)a' can't be used: '(?' begins no group of ECMA-262");
	refuses("pattern: '\\A'\n", "s.json:1:10: the pattern '\\A' can't be used: '\\A' has no "
				    "meaning there");
	refuses("pattern: '('\n", "s.json:1:10: the pattern '(' can't be used: a '(' has no ')'");
	refuses("pattern: ')'\n", "s.json:1:10: the pattern ')' can't be used: a ')' has no '('");
	refuses("pattern: a{2,1}\n", "s.json:1:10: the pattern 'a{2,1}' can't be used: the numbers "
				     "in '{}' stand in the wrong order");
	refuses("pattern: a{99999}\n",
		"s.json:1:10: the pattern 'a{99999}' can't be used: a number in '{}' is greater");
	refuses("pattern: (?<n>a)(?<n>b)\n", "s.json:1:10: the pattern '(?<n>a)(?<n>b)' can't be "
					     "used: two groups have the same name");
	refuses("pattern: \\k<x>\n", "s.json:1:10: the pattern '\\k<x>' can't be used: it refers "
				     "to a group that it does not have");
	refuses("pattern: (?<=a+)b\n",
		"s.json:1:10: the pattern '(?<=a+)b' can't be used: the text in '(?<='");
	refuses("pattern: \\p{Foo}\n",
		"s.json:1:10: the pattern '\\p{Foo}' can't be used: a '\\p{}' names no property");
	refuses("pattern: '[b-a]'\n", "s.json:1:10: the pattern '[b-a]' can't be used: a range");
	refuses("pattern: '[a'\n", "s.json:1:10: the pattern '[a' can't be used: a '[' has no ']'");
	refuses("patternProperties: {'*': true}\n", "s.json:1:21: the pattern '*' can't be used");
	refuses("$id: 'a#b'\n", "s.json:1:6: an '$id' has no '#'");
	refuses("$defs: {a: {$id: x}, b: {$id: x}}\n",
		"s.json:1:31: the '$id' 'x' stands in s.json:1, too");
	refuses("multipleOf: 0.1234567890123456789\n",
		"s.json:1:13: 'multipleOf' may have 18 significant digits, and has 19; round it");
}

TEST(a_keyword_of_the_wrong_kind_is_refused)
{
	refuses("type: strng\n", "s.json:1:7: 'type' is one of null, boolean, object,");
	refuses("minLength: -1\n", "s.json:1:12: 'minLength' must be a whole number, 0 or more");
	refuses("maximum: high\n", "s.json:1:10: 'maximum' must be a number, and not a string");
	refuses("maximum: .inf\n", "s.json:1:10: 'maximum' must be a finite number");
	refuses("multipleOf: 0\n", "s.json:1:13: 'multipleOf' must be more than 0");
	refuses("properties: [a]\n",
		"s.json:1:13: 'properties' must be a map of schemas, and not a list");
	refuses("properties: {a: 1}\n",
		"s.json:1:17: a schema is a map, true or false, and not a number");
	refuses("items: [{}]\n", "s.json:1:8: 'items' is one schema for all items; for a schema "
				 "for each, use 'prefixItems'");
	refuses("anyOf: []\n", "s.json:1:8: 'anyOf' must be a list of schemas that is not empty");
	refuses("required: a\n", "s.json:1:11: 'required' must be a list of names, and not a");
	refuses("$anchor: 'a b'\n", "s.json:1:10: '$anchor' must be a word");
	refuses("", "s.json: is empty; a schema is a map, true or false");
	refuses("a: 1\n---\nb: 1\n",
		"s.json:3:1: a second document begins here; a schema is one document");
	refuses("12\n", "s.json:1:1: a schema is a map, true or false, and not a number");
}

TEST(a_schema_that_never_ends_is_refused)
{
	refuses("$ref: '#'\n", "s.json:1:7: the schema in line 1 leads back to itself here");
	refuses("$defs:\n  a: {allOf: [{$ref: '#/$defs/b'}]}\n  b: {not: {$ref: '#/$defs/a'}}\n",
		"s.json:");
	/* Recursion that descends in the value ends with the value. */
	tells("properties: {a: {$ref: '#'}}\ntype: object\n", "a: {a: {}}\n", "");
}

/* The target of a dynamic reference is known only at run time. */
TEST(a_loop_of_dynamic_references_is_found_when_it_runs)
{
	CLEANUP(judged_fini) struct judged judged;

	judge_as("$dynamicAnchor: a\n$dynamicRef: '#a'\n", "a: 1\n", &format_yaml, &judged);
	assert_int_equal(judged.result, PROBLEM);
	assert_non_null(strstr(judged.problem.message, "does not come to an end here"));
}

TEST(all_faults_are_reported_with_the_place_of_the_value)
{
	tells("type: object\n"
	      "required: [name, user]\n"
	      "properties:\n"
	      "  port: {type: integer, maximum: 65535}\n"
	      "  hosts: {uniqueItems: true, items: {pattern: ^h}}\n"
	      "  name: {minLength: 2}\n"
	      "additionalProperties: false\n",
		"port: 70000\n"
		"hosts: [h1, x, h1]\n"
		"name: é\n"
		"prot: 1\n",
		"1:1: lacks the key 'user', which must be there (s.json#/required)\n"
		"1:7: port must be at most 65535, but is 70000 (s.json#/properties/port/maximum)\n"
		"2:16: hosts must have each item once, but its items [0] and [2] are the same "
		"(s.json#/properties/hosts/uniqueItems)\n"
		"2:13: hosts[1] must match the pattern '^h', but is 'x' "
		"(s.json#/properties/hosts/items/pattern)\n"
		"3:7: name must have at least 2 characters, but has 1 "
		"(s.json#/properties/name/minLength)\n"
		"4:7: prot is not allowed here; known are 'port', 'hosts', 'name' "
		"(s.json#/additionalProperties)");
}

TEST(known_names_begin_with_the_nearest)
{
	static const char schema[] = "properties:\n"
				     "  a: {properties: {port: true, hosts: true, listen_address: "
				     "true, host_name: true},"
				     " additionalProperties: false}\n";

	tells(schema, "a: {listenAddress: 1}\n",
		"1:20: a.listenAddress is not allowed here; known are 'listen_address', 'port', "
		"'hosts', "
		"'host_name' (s.json#/properties/a/additionalProperties)");
	tells(schema, "a: {hostname: 1}\n",
		"1:15: a.hostname is not allowed here; known are 'host_name', 'port', 'hosts', "
		"'listen_address' (s.json#/properties/a/additionalProperties)");
	tells(schema, "a: {nothing: 1}\n",
		"1:14: a.nothing is not allowed here; known are 'port', 'hosts', 'listen_address', "
		"'host_name' (s.json#/properties/a/additionalProperties)");
	/* More than are shown. */
	CLEANUP(freep)
	char *wide = repeat("properties: {", 300, "the_name_@: true, ",
		"other: true}\nadditionalProperties: false\n");
	CLEANUP(judged_fini) struct judged judged;
	struct problem problem;
	judge_as(wide, "othr: 1\n", &format_yaml, &judged);
	assert_int_equal(judged.faults.count, 1);
	fault_problem(&judged.faults.items[0], &problem);
	assert_non_null(strstr(problem.message, "known are 'other', 'the_name_0', 'the_name_1', "));
	unsigned shown = 0, more = 0;
	for (const char *at = problem.message; (at = strstr(at, "'the_name_")); at++)
		shown++;
	assert_int_equal(sscanf(strstr(problem.message, " and "), " and %u more", &more), 1);
	assert_int_equal(shown + more, 300);
}

TEST(of_alternatives_the_nearest_is_reported_if_there_is_one)
{
	static const char schema[] = "anyOf:\n"
				     "- type: string\n"
				     "- properties: {kind: {const: tcp}, port: {type: integer}}\n"
				     "- properties: {kind: {const: unix}, path: {type: string}}\n";

	tells(schema, "kind: tcp\nport: x\n",
		"2:7: port must be a whole number, but is 'x', a string (in alternative 2, the "
		"nearest) (s.json#/anyOf/1/properties/port/type)");
	tells(schema, "kind: ftp\nport: 1\n",
		"1:1: fits none of 3 alternatives: (1) must be a string, but is a map; (2) 'kind' "
		"must be 'tcp', but is 'ftp'; (3) 'kind' must be 'unix', but is 'ftp' "
		"(s.json#/anyOf)");
	tells("oneOf: [{type: integer}, {minimum: 2}]\n", "3\n",
		"1:1: fits its alternatives 1 and 2, and must fit only one (s.json#/oneOf)");
	tells("oneOf: [{type: string}, {type: 'null'}]\n", "3\n",
		"1:1: fits none of 2 alternatives: (1) must be a string, but is 3; (2) must be "
		"null, but is 3 (s.json#/oneOf)");
}

TEST(constants_that_are_lists_or_maps_are_shown)
{
	tells("const: {p: [1, a], q: {}}\n", "p: [1]\n",
		"1:1: must be {'p': [1, 'a'], 'q': {}}, but is a map (s.json#/const)");
	tells("properties: {a: {enum: [[], {b: null}, c]}}\n", "a: [1]\n",
		"1:4: a must be one of [], {'b': null}, 'c', but is a list "
		"(s.json#/properties/a/enum)");
	/* More than are shown. */
	CLEANUP(freep)
	char *wide = repeat("const: [", 300, "[the_name_@], ", "[[[]]]]\n");
	CLEANUP(judged_fini) struct judged judged;
	struct problem problem;
	judge_as(wide, "1\n", &format_yaml, &judged);
	assert_int_equal(judged.faults.count, 1);
	fault_problem(&judged.faults.items[0], &problem);
	assert_non_null(strstr(problem.message, "must be [['the_name_0'], ['the_name_1'], "));
	assert_non_null(strstr(problem.message, " more], but is 1 "));
}

TEST(keys_are_reported_as_keys)
{
	tells("propertyNames: {maxLength: 2}\n", "ab: 1\nabc: 2\n",
		"2:1: abc the key 'abc' must have at most 2 characters, but has 3 "
		"(s.json#/propertyNames/maxLength)");
	tells("properties: {'a/b~c': {not: {}}}\n", "a/b~c: 1\n",
		"1:8: a/b~c is forbidden by the schema's 'not' "
		"(s.json#/properties/a~1b~0c/not)");
}

TEST(what_is_marked_as_secret_is_not_quoted)
{
	tells("properties:\n"
	      "  a: {writeOnly: true, pattern: '^$'}\n"
	      "  b: {writeOnly: true, type: boolean}\n"
	      "  c: {writeOnly: false, const: 1}\n",
		"a: hunter2\nb: 123\nc: 2\n",
		"1:4: a must match the pattern '^$', but is a string that is not shown "
		"(s.json#/properties/a/pattern)\n"
		"2:4: b must be true or false, but is a number that is not shown "
		"(s.json#/properties/b/type)\n"
		"3:4: c must be 1, but is 2 (s.json#/properties/c/const)");
	/* Any subschema may mark it, also one for a map or list around it. */
	tells("properties:\n"
	      "  a: {writeOnly: true, anyOf: [{const: x}]}\n"
	      "  b: {writeOnly: true, properties: {c: {const: x}}}\n"
	      "  d: {$ref: '#/$defs/secret', const: x}\n"
	      "  e: {uniqueItems: true, items: {writeOnly: true}}\n"
	      "allOf: [{properties: {b: {properties: {c: {minimum: 9}}}}}]\n"
	      "$defs: {secret: {writeOnly: true}}\n",
		"a: 1\nb: {c: 2}\nd: 3\ne: [4, 4]\n",
		"1:4: a fits none of 1 alternatives: (1) must be 'x', but is a number "
		"that is not shown (s.json#/properties/a/anyOf)\n"
		"2:8: b[?] must be 'x', but is a number that is not shown "
		"(s.json#/properties/b/properties/c/const)\n"
		"3:4: d must be 'x', but is a number that is not shown "
		"(s.json#/properties/d/const)\n"
		"4:8: e must have each item once, but its items [0] and [1] are the "
		"same "
		"(s.json#/properties/e/uniqueItems)\n"
		"2:8: b[?] must be at least 9, but is a number that is not shown "
		"(s.json#/allOf/0/properties/b/properties/c/minimum)");
	/* A key may be marked, or stand in a map that is. */
	tells("properties:\n"
	      "  a: {propertyNames: {writeOnly: true, maxLength: 2}}\n"
	      "  b: {writeOnly: true, propertyNames: {pattern: '^x'}}\n",
		"a: {abc: 1}\nb: {abc: 1}\n",
		"1:5: a the key must have at most 2 characters, but has 3 "
		"(s.json#/properties/a/propertyNames/maxLength)\n"
		"2:5: b the key must match the pattern '^x', but is a string that is not shown "
		"(s.json#/properties/b/propertyNames/pattern)");
	tells("properties:\n"
	      "  a: {writeOnly: true, additionalProperties: {type: string}}\n"
	      "  b: {anyOf: [{propertyNames: {writeOnly: true},\n"
	      "               additionalProperties: {type: string}},\n"
	      "              {additionalProperties: {type: boolean}}]}\n"
	      "  c: {propertyNames: {writeOnly: true}, additionalProperties: false}\n"
	      "  d: {propertyNames: {writeOnly: true},\n"
	      "      additionalProperties: {propertyNames: {maxLength: 2}}}\n",
		"a: {abc: 1}\nb: {abc: 1}\nc: {abc: 1}\nd: {abc: {def: 1}}\n",
		"1:10: a[?] must be a string, but is a number that is not shown "
		"(s.json#/properties/a/additionalProperties/type)\n"
		"2:4: b fits none of 2 alternatives: (1) '[?]' must be a string, but is 1; "
		"(2) '[?]' must be true or false, but is 1 (s.json#/properties/b/anyOf)\n"
		"3:10: c[?] is not allowed here (s.json#/properties/c/additionalProperties)\n"
		"4:11: d[?].def the key 'def' must have at most 2 characters, but has 3 "
		"(s.json#/properties/d/additionalProperties/propertyNames/maxLength)");
}

TEST(values_have_the_type_that_their_format_gives_them)
{
	tells("additionalProperties: {type: string}\n", "a: '1'\nb: 2001-02-03\nc: !x 1\n", "");
	tells("additionalProperties: {type: integer}\n", "a: 0x10\nb: 1_000\nc: 0o14\n",
		"3:4: c must be a whole number, but is '0o14', a string "
		"(s.json#/additionalProperties/type)");
	tells("additionalProperties: {const: 16}\n", "a: 0x10\nb: 020\nc: 16.0\nd: 1.6e+1\n", "");
	reports("additionalProperties: {type: string}\n", "a = 1979-05-27\nb = 'x'\n", &format_toml,
		"");
	reports("additionalProperties: {type: string}\n", "A=1\nB=x\n", &format_env, "");
	/* A key is compared by its text. */
	tells("required: ['80', 'true', '2001-02-03']\nproperties: {'80': {type: string}}\n"
	      "additionalProperties: {type: 'null'}\n",
		"80: 1\ntrue: ~\n2001-02-03:\n",
		"1:5: 80 must be a string, but is 1 (s.json#/properties/80/type)");
}

TEST(numbers_are_exact)
{
	tells("items: {multipleOf: 0.1, maximum: 1e400}\n", "[0.3, 1.1, 1e+300, 1e+400, -0.7, 0]",
		"");
	tells("items: {maximum: 1e400}\n", "[1.0e+401, .inf, .nan]",
		"1:2: [0] must be at most 1e400, but is 1.0e+401 (s.json#/items/maximum)\n"
		"1:12: [1] must be at most 1e400, but is .inf (s.json#/items/maximum)\n"
		"1:18: [2] must be at most 1e400, but is .nan (s.json#/items/maximum)");
	tells("uniqueItems: true\n", "[0.1, 0.10000000000000000000000001]", "");
	tells("const: 123456789012345678901234567890.0\n", "123456789012345678901234567890", "");
	tells("const: 123456789012345678901234567890\n", "123456789012345678901234567891",
		"1:1: must be 123456789012345678901234567890, but is "
		"123456789012345678901234567891 (s.json#/const)");
}

TEST(many_faults_are_counted)
{
	CLEANUP(judged_fini) struct judged judged;
	CLEANUP(freep) char *text = repeat("[", 1499, "1,", "1]");

	judge_as("items: {type: string}\n", text, &format_yaml, &judged);
	assert_int_equal(judged.result, 0);
	assert_int_equal(judged.faults.count, FAULTS_MAX);
	assert_int_equal(judged.faults.more, 1500 - FAULTS_MAX);
}

static void takes_too_much(const char *schema, const char *text)
{
	CLEANUP(judged_fini) struct judged judged;
	time_t begun = time(NULL);

	judge_as(schema, text, &format_yaml, &judged);
	assert_true(time(NULL) - begun < SECONDS_MAX);
	if (judged.result != PROBLEM)
		fail_msg("it is judged in no time: %s", schema);
	assert_non_null(strstr(judged.problem.message, "it takes too much work"));
}

TEST(work_without_end_is_given_up)
{
	char text[4096] = "";

	/* Each of thirty definitions refers to the next one twice. */
	strcat(text, "$ref: '#/$defs/d0'\n$defs:\n");
	for (int i = 0; i < 30; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
			"  d%d: {allOf: [{$ref: '#/$defs/d%d'}, {$ref: '#/$defs/d%d'}]}\n", i,
			i + 1, i + 1);
	strcat(text, "  d30: {type: object}\n");
	takes_too_much(text, "a: 1\n");
	takes_too_much("pattern: '^(a+)+$'\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
	takes_too_much("patternProperties: {'^(x+x+)+[yz]$': true}\n",
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: 1");
}

/* Eighty nested maps; each is tried with two alternatives, neither of which fits. */
TEST(work_without_end_keeps_nothing_of_what_was_tried)
{
	CLEANUP(freep) char *end = repeat("1", 80, "}", "");
	CLEANUP(freep) char *text = repeat("", 80, "{n: ", end);

	largest_array = 0;
	takes_too_much("$defs:\n"
		       "  x: {anyOf: [{properties: {n: {$ref: '#/$defs/x'}}, not: {}},\n"
		       "              {properties: {n: {$ref: '#/$defs/x'}}, not: {}}]}\n"
		       "$ref: '#/$defs/x'\n",
		text);
	if (largest_array > ARRAY_MAX)
		fail_msg("an array of %zu bytes was kept", largest_array);
}

/* An unanchored pattern tries each place: in a long text that is quadratic. */
TEST(a_pattern_on_a_long_text_is_given_up)
{
	CLEANUP(freep) char *text = repeat("", 400000, "a", "");

	takes_too_much("pattern: '[a-z]+[0-9]'\n", text);
}

TEST(a_schema_and_a_tree_may_be_deep)
{
	CLEANUP(judged_fini) struct judged judged;
	CLEANUP(freep) char *end = repeat("", 120, "]", "");
	CLEANUP(freep) char *text = repeat("", 120, "[", end);

	judge_as("items: {anyOf: [{allOf: [{$ref: '#'}]}, false]}\n", text, &format_yaml, &judged);
	assert_int_equal(judged.result, 0);
	assert_int_equal(judged.faults.count, 0);
}

/* Any text is read or refused. */
TEST(no_schema_makes_it_crash)
{
	static const char *const words[] = {"$ref: '#'", "$ref: '#/a~'", "$ref: '#%zz'",
		"$ref: '#/%2'", "$id: ''", "$id: '#'", "$id: '//'", "$id: '..'", "$id: 'a:/../..'",
		"$ref: ''", "$ref: '?'", "pattern: '\\'", "pattern: '[\\'", "pattern: '\\u'",
		"pattern: '\\uD800'", "pattern: '[\\uD800-\\uDFFF]'", "pattern: '\\c'",
		"pattern: '\\k<'", "pattern: '\\p{'", "pattern: '(?<'", "pattern: 'a{2,1}'",
		"pattern: 'a{99999}'", "pattern: '(a{1000}){1000}'", "pattern: \"\\0\"",
		"pattern: '[^]'", "$dynamicRef: '#x'", "$anchor: ''", "enum: []", "if: 1",
		"then: {}", "dependencies: {a: 1}", "properties: {}", "prefixItems: {}",
		"$schema: 1", "$schema: ''", "contains: []", "minContains: x", "items: 1"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct schema_text text = {{.name = "s.json", .layer = ""}, span_of(words[i]),
			&format_yaml, {NULL, 0}};
		struct schema *schema = NULL;
		struct problem problem = {0};
		int r = schema_read(&text, NULL, &schema, &problem);

		assert_true(r == 0 || (r == PROBLEM && problem.message[0]));
		schema_free(schema);
	}
}
