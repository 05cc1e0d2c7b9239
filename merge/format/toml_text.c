#include "toml_text.h"

#include <ctype.h>
#include <errno.h>

#include "toml.h"
#include "toml_value.h"
#include "utf8.h"

int toml_text_bad_character(struct text_cursor *at, const char *otherwise)
{
	char c = *at->p;

	if (!utf8_length(at->p, at->end))
		return text_cursor_fail(at, "is not UTF-8; save it as UTF-8");
	if (c == '\r')
		return text_cursor_fail(
			at, "a carriage return without a newline; end lines with a newline");
	if (toml_is_control(c) && c != '\n')
		return builder_problem(at->builder, text_cursor_place(at),
			"the control character 0x%02X; in double quotes it is written \\u%04X",
			(unsigned)c, (unsigned)c);
	return text_cursor_fail(at, otherwise);
}

/* Skips characters that may stand in comments and strings, up to `stop`, `other_stop` or the line's
 * end. */
static const char *skip_text(const struct text_cursor *at, char stop, char other_stop)
{
	const char *p = at->p;

	while (p < at->end) {
		size_t length = 1;

		if ((unsigned char)*p >= 0x80)
			length = utf8_length(p, at->end);
		else if (*p == stop || *p == other_stop || *p == '\n' || toml_is_control(*p))
			break;
		if (!length)
			break;
		p += length;
	}
	return p;
}

int toml_text_skip_rest(struct text_cursor *at)
{
	toml_text_skip_spaces(at);
	if (!toml_text_is_at(at, "#"))
		return 0;
	at->p = skip_text(at, '\n', '\n');
	if (at->p == at->end || toml_text_newline(at))
		return 0;
	return toml_text_bad_character(at, "");
}

int toml_text_skip_lines(struct text_cursor *at)
{
	size_t length;

	for (;;) {
		int r = toml_text_skip_rest(at);

		if (r)
			return r;
		length = toml_text_newline(at);
		if (!length)
			return 0;
		text_cursor_take_newline(at, length);
	}
}

/* How a string is quoted. */
struct quote {
	char c;
	enum node_style style;
};

static struct quote quote_of(const struct text_cursor *at)
{
	bool is_basic = *at->p == '"', is_long = toml_text_is_at(at, is_basic ? "\"\"\"" : "'''");

	if (is_basic)
		return (struct quote){'"', is_long ? NODE_FOLDED : NODE_DOUBLE};
	return (struct quote){'\'', is_long ? NODE_LITERAL : NODE_SINGLE};
}

/* Returns whether it has three quotes: the string may span lines. */
static bool is_long(const struct quote *quote)
{
	return quote->style == NODE_FOLDED || quote->style == NODE_LITERAL;
}

static size_t count_quotes(const struct text_cursor *at, const char *p, char quote)
{
	size_t count = 0;

	while (p + count < at->end && p[count] == quote)
		count++;
	return count;
}

/* Returns an upper bound of the string's length in bytes. p is at its first byte. */
static size_t raw_length(const struct text_cursor *at, const struct quote *quote)
{
	const char *p = at->p;

	for (; p < at->end && (is_long(quote) || *p != '\n'); p++) {
		if (*p == '\\' && quote->c == '"') {
			p += p + 1 < at->end;
		} else if (*p == quote->c) {
			if (!is_long(quote))
				break;
			/* Two more quotes may stand before the three that end the string. */
			if (count_quotes(at, p, quote->c) >= 3)
				return (size_t)(p - at->p) + 2;
		}
	}
	return (size_t)(p - at->p);
}

/* Reads the digits after "\u" or "\U". */
static int take_code_point(struct text_cursor *at, int digits, char **out)
{
	int32_t high = 0, low = utf8_hex4(at->p, at->end);

	if (digits == 8) {
		high = low;
		low = high < 0 ? -1 : utf8_hex4(at->p + 4, at->end);
	}
	if (low < 0)
		return text_cursor_fail(at,
			digits == 4
				? "\\u needs four hexadecimal digits; a backslash is written \\\\"
				: "\\U needs eight hexadecimal digits; a backslash is written "
				  "\\\\");
	if (high > 0x10 || (high == 0 && low >= 0xD800 && low <= 0xDFFF))
		return text_cursor_fail(at,
			"there is no such character; surrogates are none, and the last "
			"is \\U0010FFFF");
	at->p += digits;
	*out += utf8_encode((uint32_t)high << 16 | (uint32_t)low, *out);
	return 0;
}

static int take_byte(struct text_cursor *at, char **out)
{
	int value = 0;

	for (int i = 0; i < 2; i++) {
		char c = at->p + i < at->end ? at->p[i] : '\0';

		if (!isxdigit((unsigned char)c))
			return text_cursor_fail(at,
				"\\x needs two hexadecimal digits; a backslash is "
				"written \\\\");
		value = value * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	at->p += 2;
	*out += utf8_encode((uint32_t)value, *out);
	return 0;
}

/* Reports an escape that TOML has from 1.1 on. */
static int refuse_new_escape(struct text_cursor *at)
{
	return text_cursor_fail(at,
		"the rule has toml: \"1.0\", and \\e and \\x come with TOML 1.1; "
		"write \\u and four digits");
}

/* Reads a line end after a backslash: everything up to the next text is dropped. */
static int skip_line_end(struct text_cursor *at)
{
	const char *start = at->p;
	size_t length;

	toml_text_skip_spaces(at);
	if (!toml_text_newline(at)) {
		at->p = start;
		return text_cursor_fail(at, "TOML has no such escape; a backslash is written \\\\");
	}
	while ((length = toml_text_newline(at))) {
		text_cursor_take_newline(at, length);
		toml_text_skip_spaces(at);
	}
	return 0;
}

static int take_escape(struct text_cursor *at, const struct quote *quote, char **out)
{
	static const char names[] = "\"\\bfnrte", values[] = "\"\\\b\f\n\r\t\x1B";
	char c = at->end - at->p > 1 ? at->p[1] : '\0';
	const char *name = c ? strchr(names, c) : NULL;

	if (toml_text_is_1_0(at) && (c == 'e' || c == 'x'))
		return refuse_new_escape(at);
	if (c == 'x') {
		at->p += 2;
		return take_byte(at, out);
	}
	if (c == 'u' || c == 'U') {
		at->p += 2;
		return take_code_point(at, c == 'u' ? 4 : 8, out);
	}
	if (name) {
		*(*out)++ = values[name - names];
		at->p += 2;
		return 0;
	}
	if (is_long(quote) && c && strchr(" \t\r\n", c)) {
		at->p++;
		return skip_line_end(at);
	}
	return text_cursor_fail(at, "TOML has no such escape; a backslash is written \\\\");
}

/* p stands at quotes in a long string. Returns whether they end it. */
static bool take_quotes(struct text_cursor *at, const struct quote *quote, char **out)
{
	size_t count = count_quotes(at, at->p, quote->c);
	bool is_end = count >= 3;

	/* The last three end the string. Two more may stand before them. */
	if (count > 5)
		count = 5;
	at->p += count;
	count -= is_end ? 3 : 0;
	memset(*out, quote->c, count);
	*out += count;
	return is_end;
}

static int take_text(struct text_cursor *at, const struct quote *quote, char **out)
{
	const char *from = at->p;
	size_t length;

	at->p = skip_text(at, quote->c, quote->c == '"' ? '\\' : quote->c);
	memcpy(*out, from, (size_t)(at->p - from));
	*out += at->p - from;
	if (at->p == at->end || *at->p == quote->c)
		return 0;
	if (*at->p == '\\')
		return take_escape(at, quote, out);
	length = toml_text_newline(at);
	if (!length || !is_long(quote))
		return toml_text_bad_character(at,
			"a string must end on its line; one of many lines has "
			"three quotes at both ends");
	*(*out)++ = '\n';
	text_cursor_take_newline(at, length);
	return 0;
}

/* Reads the text between the quotes. *end becomes its end. */
static int take_content(struct text_cursor *at, const struct quote *quote, char **end)
{
	bool is_end = false;
	int r = 0;

	while (!r && !is_end && at->p < at->end) {
		if (*at->p != quote->c) {
			r = take_text(at, quote, end);
		} else if (is_long(quote)) {
			is_end = take_quotes(at, quote, end);
		} else {
			at->p++;
			is_end = true;
		}
	}
	if (!r && !is_end)
		return text_cursor_fail(
			at, "the file ends inside a string; its closing quotes are missing");
	return r;
}

int toml_text_take_string(struct text_cursor *at, struct node **ret)
{
	struct quote quote = quote_of(at);
	struct place place = text_cursor_place(at);
	struct node *node;
	char *text, *end;
	int r;

	at->p += is_long(&quote) ? 3 : 1;
	if (is_long(&quote) && toml_text_newline(at))
		text_cursor_take_newline(at, toml_text_newline(at));
	node = builder_new_scalar(at->builder, place, raw_length(at, &quote), &text);
	if (!node)
		return -ENOMEM;
	end = text;
	r = take_content(at, &quote, &end);
	if (r)
		return r;
	*end = '\0';
	node->text.len = (size_t)(end - text);
	node->style = (uint8_t)quote.style;
	node->schema = NODE_TOML;
	*ret = node;
	return 0;
}

int toml_text_take_word(struct text_cursor *at, size_t len, struct node **ret)
{
	char *text;

	*ret = builder_new_scalar(at->builder, text_cursor_place(at), len, &text);
	if (!*ret)
		return -ENOMEM;
	memcpy(text, at->p, len);
	(*ret)->schema = NODE_TOML;
	at->p += len;
	return 0;
}

static bool is_word_char(char c)
{
	return toml_is_bare(c) || c == '+' || c == '.' || c == ':';
}

/* Returns the length of the word at p, in bytes. A space may separate a date from its time. */
static size_t word_length(const struct text_cursor *at)
{
	const char *p = at->p;

	while (p < at->end && is_word_char(*p))
		p++;
	if (p - at->p == strlen("1979-05-27") && at->p[4] == '-' && at->end - p > 3 &&
		p[0] == ' ' && p[3] == ':')
		for (p++; p < at->end && is_word_char(*p);)
			p++;
	return (size_t)(p - at->p);
}

int toml_text_take_value(struct text_cursor *at, struct node **ret)
{
	struct span word = {at->p, word_length(at)};
	struct place place = text_cursor_place(at);
	int shown = word.len < TOML_SHOWN_MAX ? (int)word.len : TOML_SHOWN_MAX;

	if (!word.len && at->p < at->end)
		return toml_text_bad_character(at, "a value is missing here");
	if (!word.len)
		return text_cursor_fail(at, "the file ends where a value is missing");
	if (toml_value_type(word) == SCALAR_STRING)
		return builder_problem(at->builder, place, "\"%.*s\" %s", shown, word.data,
			toml_value_fault(word));
	if (toml_text_is_1_0(at) && toml_value_lacks_seconds(word))
		return builder_problem(at->builder, place,
			"\"%.*s\" has no seconds, and the rule has toml: \"1.0\"; add :00", shown,
			word.data);
	return toml_text_take_word(at, word.len, ret);
}
