/* Types of scalars, their values as JSON, and when two are equal. */
#include "scalar.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "cleanup.h"
#include "test.h"

static struct node scalar(enum node_schema schema, const char *text)
{
	return (struct node){.kind = NODE_SCALAR,
		.style = NODE_PLAIN,
		.schema = (uint8_t)schema,
		.weight = 1,
		.text = span_of(text)};
}

static void assert_types(enum node_schema schema, enum scalar_type type, const char *const *texts)
{
	for (; *texts; texts++) {
		struct node node = scalar(schema, *texts);

		if (scalar_type(&node) != type)
			fail_msg("'%s' is %s, not %s", *texts, scalar_type_name(scalar_type(&node)),
				scalar_type_name(type));
	}
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(yaml_1_1_types_are_those_of_pyyaml)
{
	assert_types(NODE_YAML_1_1, SCALAR_NULL, TEXTS("", "~", "null", "Null", "NULL"));
	assert_types(NODE_YAML_1_1, SCALAR_BOOL,
		TEXTS("yes", "No", "TRUE", "false", "on", "Off", "OFF"));
	assert_types(NODE_YAML_1_1, SCALAR_INT,
		TEXTS("0", "-0", "+12", "1_000", "0644", "0b1_0", "0x_F", "-0xff", "0_", "1:30",
			"190:20:30", "00"));
	assert_types(NODE_YAML_1_1, SCALAR_FLOAT,
		TEXTS("1.", "1.5", "-1.5e+3", "1._", ".5", ".5e-3", "1:30.5", "0:00.", ".inf",
			"-.INF", "+.Inf", ".nan", ".NAN"));
	assert_types(NODE_YAML_1_1, SCALAR_TIMESTAMP,
		TEXTS("2001-12-14", "2001-12-14t21:59:43.10-05:00", "2001-1-1 1:00:00",
			"2001-12-14 \t 21:59:43.", "2001-12-14 21:59:43 Z",
			"2001-12-14 21:59:43 +5"));
	assert_types(NODE_YAML_1_1, SCALAR_STRING,
		TEXTS("y", "n", "yES", "nuLL", "08", "0o7", "1e5", "1.5e3", "-.5", "._5", "+.nan",
			"1:60", "1:.5", "0:30", "-", "+", ".", "0x", "0b", "2001-1-1",
			"2001-12-14 1:00", "2001-12-14T", "<<", "=", "nullx", "~~"));
}

TEST(yaml_1_2_types_are_those_of_the_core_schema)
{
	assert_types(NODE_YAML_1_2, SCALAR_NULL, TEXTS("", "~", "null", "Null", "NULL"));
	assert_types(NODE_YAML_1_2, SCALAR_BOOL, TEXTS("true", "False", "TRUE"));
	assert_types(NODE_YAML_1_2, SCALAR_INT, TEXTS("0", "-12", "0644", "0o17", "0xFf"));
	assert_types(NODE_YAML_1_2, SCALAR_FLOAT,
		TEXTS("1e5", "-.5", "1.", "+1.5E-3", ".inf", "-.Inf", ".nan"));
	assert_types(NODE_YAML_1_2, SCALAR_STRING,
		TEXTS("yes", "off", "1_000", "0b1", "-0x1", "0o8", "1:30", "2001-12-14", ".", "1e",
			"+.nan"));
}

TEST(json_types_are_those_of_rfc_8259)
{
	assert_types(NODE_JSON, SCALAR_NULL, TEXTS("null"));
	assert_types(NODE_JSON, SCALAR_BOOL, TEXTS("true", "false"));
	assert_types(NODE_JSON, SCALAR_INT, TEXTS("0", "-0", "12"));
	assert_types(NODE_JSON, SCALAR_FLOAT, TEXTS("1e5", "1.5E+3", "-0.0"));
	assert_types(NODE_JSON, SCALAR_STRING, TEXTS("", "True", "yes", "01", "+1", "1.", ".5"));
}

TEST(quotes_make_a_string)
{
	struct node node = scalar(NODE_YAML_1_1, "12");

	for (node.style = NODE_SINGLE; node.style <= NODE_FOLDED; node.style++)
		assert_int_equal(scalar_type(&node), SCALAR_STRING);
}

static enum scalar_type tagged(const char *tag, const char *text)
{
	struct node node = scalar(NODE_YAML_1_1, text);

	node.tag = tag;
	return scalar_type(&node);
}

TEST(a_core_tag_decides)
{
	assert_int_equal(tagged("tag:yaml.org,2002:str", "12"), SCALAR_STRING);
	assert_int_equal(tagged("!", "12"), SCALAR_STRING);
	assert_int_equal(tagged("tag:yaml.org,2002:int", "12"), SCALAR_INT);
	assert_int_equal(tagged("tag:yaml.org,2002:float", "1e5"), SCALAR_FLOAT);
	assert_int_equal(tagged("tag:yaml.org,2002:float", "1"), SCALAR_FLOAT);
	assert_int_equal(tagged("tag:yaml.org,2002:bool", "on"), SCALAR_BOOL);
	assert_int_equal(tagged("tag:yaml.org,2002:null", "any"), SCALAR_NULL);
	assert_int_equal(tagged("tag:yaml.org,2002:binary", "aGk="), SCALAR_BINARY);
	assert_int_equal(tagged("tag:yaml.org,2002:timestamp", "2001-12-14"), SCALAR_TIMESTAMP);
}

TEST(a_tag_that_the_text_does_not_keep_is_foreign)
{
	assert_int_equal(tagged("tag:yaml.org,2002:int", "x"), SCALAR_FOREIGN);
	assert_int_equal(tagged("tag:yaml.org,2002:float", "x"), SCALAR_FOREIGN);
	assert_int_equal(tagged("tag:yaml.org,2002:bool", "2"), SCALAR_FOREIGN);
	assert_int_equal(tagged("tag:yaml.org,2002:set", "2"), SCALAR_FOREIGN);
	assert_int_equal(tagged("!Ref", "12"), SCALAR_FOREIGN);
}

TEST(empty_is_null_without_text_or_tag)
{
	struct node empty = scalar(NODE_YAML_1_1, ""), word = scalar(NODE_YAML_1_1, "null");
	struct node quoted = empty, is_tagged = empty, json = scalar(NODE_JSON, "");

	quoted.style = NODE_DOUBLE;
	is_tagged.tag = "tag:yaml.org,2002:null";
	assert_true(scalar_is_empty(&empty));
	assert_false(scalar_is_empty(&word));
	assert_false(scalar_is_empty(&quoted));
	assert_false(scalar_is_empty(&is_tagged));
	assert_false(scalar_is_empty(&json));
	assert_true(scalar_is_null(&is_tagged));
	assert_true(scalar_is_null(&word));
	assert_false(scalar_is_null(&quoted));
}

static void assert_json(enum node_schema schema, const char *text, const char *expected)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct node node = scalar(schema, text);
	struct span json;

	assert_int_equal(arena_new(&arena), 0);
	assert_int_equal(scalar_json(&node, arena, &json), 0);
	assert_string_equal(json.data, expected);
}

TEST(json_keeps_the_text_that_it_allows)
{
	assert_json(NODE_YAML_1_1, "1.10", "1.10");
	assert_json(NODE_YAML_1_1, "-0", "-0");
	assert_json(NODE_YAML_1_2, "1E5", "1E5");
	assert_json(NODE_YAML_1_1, "no", "false");
	assert_json(NODE_YAML_1_1, "On", "true");
	assert_json(NODE_YAML_1_1, "~", "null");
	assert_json(NODE_YAML_1_1, "2001-12-14", "2001-12-14");
}

TEST(numbers_that_json_has_not_are_written_in_decimal)
{
	assert_json(NODE_YAML_1_1, "0644", "420");
	assert_json(NODE_YAML_1_2, "0644", "644");
	assert_json(NODE_YAML_1_2, "0o644", "420");
	assert_json(NODE_YAML_1_1, "-0x1_F", "-31");
	assert_json(NODE_YAML_1_1, "0b101", "5");
	assert_json(NODE_YAML_1_1, "+1_000", "1000");
	assert_json(NODE_YAML_1_1, "190:20:30", "685230");
	assert_json(NODE_YAML_1_1, "00", "0");
	assert_json(NODE_YAML_1_1, "0x10000000000000000", "18446744073709551616");
	assert_json(NODE_YAML_1_1, "1_00000000000000000000000", "100000000000000000000000");
	assert_json(NODE_YAML_1_1, ".5", "0.5");
	assert_json(NODE_YAML_1_1, "+5.", "5.0");
	assert_json(NODE_YAML_1_1, "-01_0.2_50", "-10.250");
	assert_json(NODE_YAML_1_1, "1.e+5", "1.0e+5");
	assert_json(NODE_YAML_1_1, "1:30.25", "90.25");
}

TEST(what_json_can_not_say_is_a_range_error)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	char digits[4000] = "0x";
	struct node nodes[] = {scalar(NODE_YAML_1_1, ".inf"), scalar(NODE_YAML_1_1, ".nan"),
		scalar(NODE_YAML_1_1, digits)};
	struct span json;

	memset(digits + 2, 'f', sizeof(digits) - 2);
	nodes[2].text.len = sizeof(digits);
	assert_int_equal(arena_new(&arena), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(scalar_json(&nodes[i], arena, &json), -ERANGE);
}

TEST(numbers_have_their_value)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {{"0644", 420}, {"-1_000", -1000}, {"1.5e+3", 1500}, {"1:30", 90},
		{"1:30.5", 90.5}, {"-0.1", -0.1}, {"1.0e+400", HUGE_VAL}, {"1.0e-400", 0},
		{"123456789012345678901234567890", 123456789012345678901234567890.0},
		{"1.7976931348623157e+308", 0x1.fffffffffffffp+1023}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct node node = scalar(NODE_YAML_1_1, cases[i].text);

		assert_true(fabs(scalar_number(&node) - cases[i].value) <= 0 ||
			    (isinf(cases[i].value) && isinf(scalar_number(&node))));
	}
}

static bool equal(const struct node *a, const struct node *b)
{
	bool is_equal = scalar_equal(a, b);

	assert_int_equal(scalar_equal(b, a), is_equal);
	if (is_equal)
		assert_int_equal(scalar_hash(a), scalar_hash(b));
	return is_equal;
}

static bool texts_equal(const char *text_a, const char *text_b)
{
	struct node a = scalar(NODE_YAML_1_1, text_a), b = scalar(NODE_YAML_1_1, text_b);

	return equal(&a, &b);
}

TEST(numbers_are_equal_by_value)
{
	assert_true(texts_equal("1", "1.0"));
	assert_true(texts_equal("0x10", "16"));
	assert_true(texts_equal("-0.0", "0"));
	assert_true(texts_equal("1.10", "1.1"));
	assert_true(texts_equal("0.1", "0.1000000000000000000001"));
	assert_true(texts_equal("1:00:00", "3600"));
	assert_true(texts_equal("18446744073709551616", "0x10000000000000000"));
	assert_true(texts_equal("18446744073709551616", "18446744073709551616.0"));
	assert_true(texts_equal("1_0000000000000000000000", "10000000000000000000000"));
	assert_true(texts_equal("1.0e+400", ".inf"));
	assert_false(texts_equal("9007199254740993", "9007199254740992.0"));
	assert_false(texts_equal("18446744073709551616", "18446744073709551617"));
	assert_false(texts_equal("-1", "1"));
	assert_false(texts_equal("-.inf", ".inf"));
}

TEST(nan_equals_nothing)
{
	assert_false(texts_equal(".nan", ".nan"));
	assert_false(texts_equal(".nan", ".NaN"));
}

TEST(types_keep_values_apart)
{
	struct node number = scalar(NODE_YAML_1_1, "1"), string = scalar(NODE_YAML_1_1, "1");

	string.style = NODE_SINGLE;
	assert_false(equal(&number, &string));
	assert_false(texts_equal("1", "true"));
	assert_false(texts_equal("0", "~"));
	assert_false(texts_equal("", "no"));
}

TEST(words_of_one_meaning_are_equal)
{
	assert_true(texts_equal("yes", "true"));
	assert_true(texts_equal("off", "NO"));
	assert_true(texts_equal("~", ""));
	assert_false(texts_equal("yes", "no"));
}

TEST(a_foreign_tag_is_part_of_the_value)
{
	struct node a = scalar(NODE_YAML_1_1, "x"), b = a, c = a;

	a.tag = "!Ref";
	b.tag = "!Sub";
	assert_false(equal(&a, &b));
	assert_false(equal(&a, &c));
	c.tag = "!Ref";
	assert_true(equal(&a, &c));
}

TEST(binary_data_is_equal_however_it_is_broken_into_lines)
{
	struct node a = scalar(NODE_YAML_1_1, "aGVs\nbG8=\n"),
		    b = scalar(NODE_YAML_1_1, "aGVsbG8=");

	a.tag = b.tag = "tag:yaml.org,2002:binary";
	assert_true(equal(&a, &b));
}

TEST(digits_count_however_far_behind)
{
	/* Half way between two doubles; one digit more decides. */
	char text[2000] = "1.00000000000000011102230246251565404236316680908203125";
	size_t len = strlen(text);

	assert_true(texts_equal(text, "1.0"));
	memset(text + len, '0', 1000);
	strcpy(text + len + 1000, "1");
	assert_true(texts_equal(text, "1.0000000000000002"));
}

TEST(endless_numbers_cost_no_time)
{
	size_t len = 16u << 20;
	char *digits = malloc(len + 1);
	struct node a = scalar(NODE_YAML_1_1, ""), b;
	clock_t start = clock();

	assert_non_null(digits);
	memset(digits, '7', len);
	digits[len] = '\0';
	a.text = (struct span){digits, len};
	b = a;
	b.schema = NODE_YAML_1_2;
	assert_true(equal(&a, &b));
	memcpy(digits, "0x", 2);
	assert_true(equal(&a, &b));
	digits[1] = '7';
	digits[100000] = '.';
	assert_true(isinf(scalar_number(&b)));
	assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20);
	free(digits);
}
