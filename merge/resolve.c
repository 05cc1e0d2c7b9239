/*
 * The regular expressions of PyYAML's resolver.py, and of YAML 1.2.2, section 10.3.2, written by
 * hand: most scalars are strings, and their first byte shows it.
 */
#include "resolve.h"

#include "format/toml_value.h"
#include "number.h"

static bool is_digit_or_underscore(char c)
{
	return number_is_digit(c) || c == '_';
}

/* Returns whether the text is the word: in small letters, in capitals, or with one in front. */
static bool is_word(struct span text, const char *word)
{
	size_t len = strlen(word), i = 0;

	if (text.len != len || (*text.data | 0x20) != *word)
		return false;
	if (memcmp(text.data + 1, word + 1, len - 1) == 0)
		return true;
	while (i < len && (text.data[i] ^ 0x20) == word[i])
		i++;
	return i == len;
}

/* The rest of a text that is being matched. */
struct rest {
	const char *p;
	const char *end;
};

static bool take_char(struct rest *rest, const char *any_of)
{
	if (rest->p == rest->end || !*rest->p || !strchr(any_of, *rest->p))
		return false;
	rest->p++;
	return true;
}

static bool take_digits(struct rest *rest, size_t min, size_t max)
{
	size_t count = 0;

	for (; count < max && rest->p < rest->end && number_is_digit(*rest->p); count++)
		rest->p++;
	return count >= min;
}

/* [0-9][0-9_]* */
static bool take_number(struct rest *rest)
{
	if (rest->p == rest->end || !number_is_digit(*rest->p))
		return false;
	while (rest->p < rest->end && is_digit_or_underscore(*rest->p))
		rest->p++;
	return true;
}

/* (:[0-5]?[0-9])+ */
static bool take_sexagesimal(struct rest *rest)
{
	bool is_some = false;

	while (rest->p < rest->end && *rest->p == ':') {
		const char *digits = ++rest->p;

		if (!take_digits(rest, 1, 2) || (rest->p - digits == 2 && *digits > '5'))
			return false;
		is_some = true;
	}
	return is_some;
}

static bool is_all(struct rest rest, const char *set)
{
	if (rest.p == rest.end)
		return false;
	while (take_char(&rest, set))
		;
	return rest.p == rest.end;
}

static bool is_inf(struct rest rest)
{
	take_char(&rest, "+-");
	return take_char(&rest, ".") &&
	       is_word((struct span){rest.p, (size_t)(rest.end - rest.p)}, "inf");
}

static bool is_nan(struct span text)
{
	return span_is(text, ".nan") || span_is(text, ".NaN") || span_is(text, ".NAN");
}

static bool is_int_1_1(struct rest rest)
{
	take_char(&rest, "+-");
	if (take_char(&rest, "0")) {
		if (rest.p == rest.end)
			return true;
		if (take_char(&rest, "b"))
			return is_all(rest, "01_");
		if (take_char(&rest, "x"))
			return is_all(rest, "0123456789abcdefABCDEF_");
		return is_all(rest, "01234567_");
	}
	if (!take_number(&rest))
		return false;
	return rest.p == rest.end || (take_sexagesimal(&rest) && rest.p == rest.end);
}

/* ([eE][-+][0-9]+)? to the end */
static bool is_exponent_1_1(struct rest rest)
{
	if (rest.p == rest.end)
		return true;
	return take_char(&rest, "eE") && take_char(&rest, "+-") &&
	       take_digits(&rest, 1, SIZE_MAX) && rest.p == rest.end;
}

static bool is_float_1_1(struct rest rest)
{
	bool is_signed, is_base_60;

	if (is_inf(rest))
		return true;
	is_signed = take_char(&rest, "+-");
	if (take_char(&rest, "."))
		return !is_signed && take_number(&rest) && is_exponent_1_1(rest);
	if (!take_number(&rest))
		return false;
	is_base_60 = rest.p < rest.end && *rest.p == ':';
	if (is_base_60 && !take_sexagesimal(&rest))
		return false;
	if (!take_char(&rest, "."))
		return false;
	while (rest.p < rest.end && is_digit_or_underscore(*rest.p))
		rest.p++;
	return is_base_60 ? rest.p == rest.end : is_exponent_1_1(rest);
}

/* [0-9][0-9]:[0-9][0-9] and its optional parts, after the digits of the hour */
static bool is_rest_of_time(struct rest rest)
{
	if (!take_char(&rest, ":") || !take_digits(&rest, 2, 2))
		return false;
	if (!take_char(&rest, ":") || !take_digits(&rest, 2, 2))
		return false;
	if (take_char(&rest, "."))
		take_digits(&rest, 0, SIZE_MAX);
	if (rest.p == rest.end)
		return true;
	while (take_char(&rest, " \t"))
		;
	if (take_char(&rest, "Z"))
		return rest.p == rest.end;
	if (!take_char(&rest, "+-") || !take_digits(&rest, 1, 2))
		return false;
	return rest.p == rest.end ||
	       (take_char(&rest, ":") && take_digits(&rest, 2, 2) && rest.p == rest.end);
}

/*
 * Without a tag, a date alone is a timestamp only with two digits for month and day; with a tag,
 * one is enough.
 */
static bool is_timestamp(struct rest rest, bool is_tagged)
{
	const char *start = rest.p, *month, *day;

	if (!take_digits(&rest, 4, 4) || !take_char(&rest, "-"))
		return false;
	month = rest.p;
	if (!take_digits(&rest, 1, 2) || !take_char(&rest, "-"))
		return false;
	day = rest.p;
	if (!take_digits(&rest, 1, 2))
		return false;
	if (rest.p == rest.end)
		return is_tagged || (rest.p - start == 10 && day - month == 3);

	if (!take_char(&rest, "Tt")) {
		if (!take_char(&rest, " \t"))
			return false;
		while (take_char(&rest, " \t"))
			;
	}
	return take_digits(&rest, 1, 2) && is_rest_of_time(rest);
}

static enum scalar_type resolve_number_1_1(struct span text)
{
	struct rest rest = {text.data, span_end(text)};

	if (is_int_1_1(rest))
		return SCALAR_INT;
	if (is_float_1_1(rest) || is_nan(text))
		return SCALAR_FLOAT;
	return is_timestamp(rest, false) ? SCALAR_TIMESTAMP : SCALAR_STRING;
}

static bool is_true_1_1(struct span text)
{
	return is_word(text, "yes") || is_word(text, "true") || is_word(text, "on");
}

static bool is_null_word(struct span text)
{
	return !text.len || span_is(text, "~") || is_word(text, "null");
}

/* The first byte shows that most texts are strings. */
static enum scalar_type resolve_1_1(struct span text)
{
	if (!text.len)
		return SCALAR_NULL;
	if (number_is_digit(*text.data) || strchr("+-.", *text.data))
		return resolve_number_1_1(text);
	if (text.len > 5 || !strchr("~nNyYtTfFoO", *text.data))
		return SCALAR_STRING;
	if (is_null_word(text))
		return SCALAR_NULL;
	return is_true_1_1(text) || is_word(text, "no") || is_word(text, "false") ||
			       is_word(text, "off")
		       ? SCALAR_BOOL
		       : SCALAR_STRING;
}

static bool is_int_1_2(struct rest rest)
{
	struct rest prefixed = rest;

	if (take_char(&prefixed, "0")) {
		if (take_char(&prefixed, "o"))
			return is_all(prefixed, "01234567");
		if (take_char(&prefixed, "x"))
			return is_all(prefixed, "0123456789abcdefABCDEF");
	}
	take_char(&rest, "+-");
	return take_digits(&rest, 1, SIZE_MAX) && rest.p == rest.end;
}

static bool is_float_1_2(struct rest rest)
{
	if (is_inf(rest))
		return true;
	take_char(&rest, "+-");
	if (take_char(&rest, ".")) {
		if (!take_digits(&rest, 1, SIZE_MAX))
			return false;
	} else {
		if (!take_digits(&rest, 1, SIZE_MAX))
			return false;
		if (take_char(&rest, "."))
			take_digits(&rest, 0, SIZE_MAX);
	}
	if (take_char(&rest, "eE")) {
		take_char(&rest, "+-");
		if (!take_digits(&rest, 1, SIZE_MAX))
			return false;
	}
	return rest.p == rest.end;
}

static enum scalar_type resolve_1_2(struct span text)
{
	struct rest rest = {text.data, span_end(text)};

	if (is_null_word(text))
		return SCALAR_NULL;
	if (is_word(text, "true") || is_word(text, "false"))
		return SCALAR_BOOL;
	if (is_int_1_2(rest))
		return SCALAR_INT;
	return is_float_1_2(rest) || is_nan(text) ? SCALAR_FLOAT : SCALAR_STRING;
}

static enum scalar_type resolve_json(struct span text)
{
	bool is_int;

	if (number_is_json(text, &is_int))
		return is_int ? SCALAR_INT : SCALAR_FLOAT;
	if (span_is(text, "null"))
		return SCALAR_NULL;
	if (span_is(text, "true") || span_is(text, "false"))
		return SCALAR_BOOL;
	return SCALAR_STRING;
}

enum scalar_type resolve_plain(struct span text, enum node_schema schema)
{
	switch (schema) {
	case NODE_YAML_1_1:
	case NODE_SALT:
		return resolve_1_1(text);
	case NODE_YAML_1_2:
		return resolve_1_2(text);
	case NODE_JSON:
		return resolve_json(text);
	case NODE_TOML:
		return toml_value_type(text);
	case NODE_TEXT:
		break;
	}
	return SCALAR_STRING;
}

bool resolve_is_timestamp(struct span text)
{
	return is_timestamp((struct rest){text.data, span_end(text)}, true);
}

bool resolve_is_python_float(struct span text)
{
	struct rest rest = {text.data, span_end(text)};

	return is_float_1_1(rest) || is_float_1_2(rest) || is_nan(text);
}

bool resolve_is_nan(struct span text, enum node_schema schema)
{
	if (schema == NODE_TOML)
		return toml_value_is_nan(text);
	return schema != NODE_TEXT && schema != NODE_JSON && is_nan(text);
}

bool resolve_is_true(struct span text)
{
	/* The words of 1.2, JSON and TOML are among those of 1.1. */
	return is_true_1_1(text);
}
