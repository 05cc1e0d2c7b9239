#include "toml_value.h"

#include <errno.h>
#include <strings.h>

#include "number.h"

/* A number with fewer characters has less than 64 bits in any base. */
#define SHORT_INT 16

static bool is_digit_of(char c, unsigned base)
{
	char small = (char)(c | 0x20);

	if (base == 16 && small >= 'a' && small <= 'f')
		return true;
	return c >= '0' && c <= '9' && (unsigned)(c - '0') < base;
}

/* Skips the digits at `p`, which a "_" may separate. Returns NULL if there are none. */
static const char *skip_digits(const char *p, const char *end, unsigned base)
{
	if (p == end || !is_digit_of(*p, base))
		return NULL;
	for (p++; p < end; p++) {
		if (*p == '_' && ++p == end)
			return NULL;
		if (!is_digit_of(*p, base))
			return p[-1] == '_' ? NULL : p;
	}
	return p;
}

static const char *skip_sign(const char *p, const char *end)
{
	return p < end && (*p == '+' || *p == '-') ? p + 1 : p;
}

/* Skips the whole part of a decimal number. It begins with 0 only if it is 0. */
static const char *skip_whole(const char *p, const char *end)
{
	p = skip_sign(p, end);
	if (end - p > 1 && *p == '0' && (number_is_digit(p[1]) || p[1] == '_'))
		return NULL;
	return skip_digits(p, end, 10);
}

static unsigned base_of(struct span text)
{
	if (text.len < 3 || text.data[0] != '0')
		return 10;
	switch (text.data[1]) {
	case 'x':
		return 16;
	case 'o':
		return 8;
	case 'b':
		return 2;
	}
	return 10;
}

static bool is_int(struct span text)
{
	const char *end = span_end(text);
	unsigned base = base_of(text);

	if (base == 10)
		return skip_whole(text.data, end) == end;
	return skip_digits(text.data + 2, end, base) == end;
}

static bool fits_64_bits(struct span text)
{
	struct number number;

	if (text.len < SHORT_INT)
		return true;
	number_of_int(text, NODE_TOML, &number);
	return number.form == NUMBER_SMALL &&
	       number.small <= (uint64_t)INT64_MAX + number.is_negative;
}

static struct span unsigned_of(struct span text)
{
	const char *end = span_end(text), *p = skip_sign(text.data, end);

	return (struct span){p, (size_t)(end - p)};
}

bool toml_value_is_nan(struct span text)
{
	return span_is(unsigned_of(text), "nan");
}

static bool is_float(struct span text)
{
	const char *end = span_end(text);
	const char *p = skip_whole(text.data, end);

	if (!p)
		return toml_value_is_nan(text) || span_is(unsigned_of(text), "inf");
	if (p < end && *p == '.') {
		p = skip_digits(p + 1, end, 10);
		if (!p)
			return false;
	}
	if (p < end && (*p == 'e' || *p == 'E'))
		p = skip_digits(skip_sign(p + 1, end), end, 10);
	return p == end;
}

/* Reads `count` digits at *p, and moves *p behind them. Returns their number; -1: there are
 * fewer. */
static int take_digits(const char **p, const char *end, int count)
{
	int value = 0;

	if (end - *p < count)
		return -1;
	for (; count > 0; count--, (*p)++) {
		if (!number_is_digit(**p))
			return -1;
		value = value * 10 + (**p - '0');
	}
	return value;
}

static bool take_char(const char **p, const char *end, const char *any_of)
{
	if (*p == end || !**p || !strchr(any_of, **p))
		return false;
	(*p)++;
	return true;
}

int toml_value_days(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && is_leap);
}

static bool take_date(const char **p, const char *end)
{
	int year = take_digits(p, end, 4), month, day;

	if (year < 0 || !take_char(p, end, "-"))
		return false;
	month = take_digits(p, end, 2);
	if (month < 1 || month > 12 || !take_char(p, end, "-"))
		return false;
	day = take_digits(p, end, 2);
	return day >= 1 && day <= toml_value_days(year, month);
}

static bool take_minutes(const char **p, const char *end)
{
	int hour = take_digits(p, end, 2), minute;

	if (hour < 0 || hour > 23 || !take_char(p, end, ":"))
		return false;
	minute = take_digits(p, end, 2);
	return minute >= 0 && minute <= 59;
}

static bool take_seconds(const char **p, const char *end)
{
	int second = take_digits(p, end, 2);

	/* 60 is a leap second. */
	if (second < 0 || second > 60)
		return false;
	if (!take_char(p, end, "."))
		return true;
	if (take_digits(p, end, 1) < 0)
		return false;
	while (*p < end && number_is_digit(**p))
		++*p;
	return true;
}

/*
 * Returns whether the whole text is a time, with an offset if that is allowed. From TOML 1.1 on the
 * seconds may be left out.
 */
static bool is_time(const char *p, const char *end, bool may_have_offset)
{
	if (!take_minutes(&p, end) || (take_char(&p, end, ":") && !take_seconds(&p, end)))
		return false;
	if (p == end)
		return true;
	if (!may_have_offset)
		return false;
	if (take_char(&p, end, "Zz"))
		return p == end;
	return take_char(&p, end, "+-") && take_minutes(&p, end) && p == end;
}

static bool is_timestamp(struct span text)
{
	const char *p = text.data, *end = span_end(text);

	if (text.len > 2 && text.data[2] == ':')
		return is_time(p, end, false);
	if (!take_date(&p, end))
		return false;
	return p == end || (take_char(&p, end, "Tt ") && is_time(p, end, true));
}

size_t toml_value_lacks_seconds(struct span text)
{
	const char *colon = memchr(text.data, ':', text.len), *end = span_end(text);

	if (!colon || !is_timestamp(text) || (end - colon > 3 && colon[3] == ':'))
		return 0;
	return (size_t)(colon - text.data) + 3;
}

enum scalar_type toml_value_type(struct span text)
{
	/* Keys come here, too. For most of them the first byte decides. */
	switch (text.len ? text.data[0] : '\0') {
	case 't':
		return span_is(text, "true") ? SCALAR_BOOL : SCALAR_STRING;
	case 'f':
		return span_is(text, "false") ? SCALAR_BOOL : SCALAR_STRING;
	case 'i':
	case 'n':
		return is_float(text) ? SCALAR_FLOAT : SCALAR_STRING;
	case '+':
	case '-':
	case '0' ... '9':
		if (is_int(text))
			return fits_64_bits(text) ? SCALAR_INT : SCALAR_STRING;
		if (is_float(text))
			return SCALAR_FLOAT;
		return is_timestamp(text) ? SCALAR_TIMESTAMP : SCALAR_STRING;
	}
	return SCALAR_STRING;
}

/* Compares without regard to capitals. */
static bool is_word(struct span text, const char *word)
{
	return text.len == strlen(word) && strncasecmp(text.data, word, text.len) == 0;
}

const char *toml_value_fault(struct span text)
{
	struct span digits = unsigned_of(text);
	const char *p = text.data, *end = span_end(text);
	bool is_signed = digits.len < text.len;

	if (is_int(text))
		return "does not fit 64 bits; put a string in quotes";
	if (is_word(text, "true") || is_word(text, "false"))
		return "is not a value in TOML; write it in small letters";
	if (is_word(text, "null") || is_word(text, "none") || is_word(text, "nil"))
		return "is not a value in TOML, which has no null; leave the key out";
	if (!digits.len || !number_is_digit(digits.data[0]))
		return "is not a value in TOML; put a string in quotes";
	if (!is_signed && (memchr(p, ':', text.len) || (text.len > 4 && p[4] == '-')))
		return "is no date or time, such as 1979-05-27, 07:32:00 or 1979-05-27T07:32:00Z";
	if (is_signed && base_of(digits) != 10)
		return "has a sign, which TOML allows on decimal numbers only; write it in decimal";
	if (base_of(digits) == 10 && !skip_whole(p, end) && digits.data[0] == '0')
		return "begins with 0, which no number in TOML does; an octal one is written 0o17";
	return "is not a number in TOML; put a string in quotes";
}

/* Writes one or two digits as two. */
static const char *put_pair(char **out, const char *p)
{
	if (!number_is_digit(p[1]))
		*(*out)++ = '0';
	while (number_is_digit(*p))
		*(*out)++ = *p++;
	return p;
}

/*
 * Writes the offset at `p`, which ends the NUL-terminated text: nothing, "Z", or one or two digits
 * of hours with or without minutes.
 */
static void put_offset(char **out, const char *p)
{
	if (!*p)
		return;
	*(*out)++ = *p++;
	if (!*p)
		return;
	p = put_pair(out, p);
	memcpy(*out, *p ? p : ":00", 3);
	*out += 3;
}

int toml_value_of_timestamp(struct span text, struct arena *arena, struct span *ret)
{
	/* TOML's form is longer by four zeros at most, and the offset's minutes. */
	char *start = arena_alloc(arena, text.len + 8), *out = start;
	const char *p = text.data;

	if (!start)
		return -ENOMEM;
	memcpy(out, p, 5);
	out += 5;
	p = put_pair(&out, p + 5);
	*out++ = '-';
	p = put_pair(&out, p + 1);
	if (*p) {
		p += strspn(p, "Tt \t");
		*out++ = 'T';
		p = put_pair(&out, p);
		memcpy(out, p, 6);
		out += 6;
		p += 6;
		if (*p == '.' && number_is_digit(p[1]))
			*out++ = *p;
		p += *p == '.';
		while (number_is_digit(*p))
			*out++ = *p++;
		put_offset(&out, p + strspn(p, " \t"));
	}
	*out = '\0';
	*ret = (struct span){start, (size_t)(out - start)};
	return toml_value_type(*ret) == SCALAR_TIMESTAMP ? 0 : -EINVAL;
}
