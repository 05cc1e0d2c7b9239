#include "string_format.h"

#include <stdlib.h>

#include "format/toml_value.h"
#include "string_text.h"

/* Reads a number of exactly two digits, up to `most`; -1: there is none. */
static int take_two(struct span *text, int most)
{
	if (text->len < 2 || !text_is_digit(text->data[0]) || !text_is_digit(text->data[1]))
		return -1;
	int number = (text->data[0] - '0') * 10 + (text->data[1] - '0');
	text_skip(text, 2);
	return number <= most ? number : -1;
}

/* full-date of RFC 3339 */
static bool take_date(struct span *text)
{
	int century = take_two(text, 99), year = take_two(text, 99);

	if (century < 0 || year < 0 || !text_take(text, '-'))
		return false;
	int month = take_two(text, 12);
	if (month < 1 || !text_take(text, '-'))
		return false;
	return take_two(text, toml_value_days(century * 100 + year, month)) >= 1;
}

/* full-time of RFC 3339. A leap second ends a day of UTC. */
static bool take_time(struct span *text)
{
	int hour = take_two(text, 23), minute, second, sign = 0;

	if (hour < 0 || !text_take(text, ':'))
		return false;
	minute = take_two(text, 59);
	if (minute < 0 || !text_take(text, ':'))
		return false;
	second = take_two(text, 60);
	if (second < 0 || (text_take(text, '.') && text_digits(text) == 0))
		return false;
	if (text_take(text, '+'))
		sign = 1;
	else if (text_take(text, '-'))
		sign = -1;
	else if (!text_take(text, 'Z') && !text_take(text, 'z'))
		return false;
	int minutes = hour * 60 + minute;
	if (sign) {
		int hours = take_two(text, 23);
		if (hours < 0 || !text_take(text, ':'))
			return false;
		int more = take_two(text, 59);
		if (more < 0)
			return false;
		minutes -= sign * (hours * 60 + more);
	}
	return second < 60 || (minutes + 2 * 1440) % 1440 == 1439;
}

static FORMAT(date)
{
	return take_date(&text) && text.len == 0;
}

static FORMAT(time)
{
	return take_time(&text) && text.len == 0;
}

static FORMAT(date_time)
{
	return take_date(&text) && (text_take(&text, 'T') || text_take(&text, 't')) &&
	       take_time(&text) && text.len == 0;
}

/* Skips numbers with those units, in their order, none of them left out in between. Returns how
 * many there are. */
static int take_amounts(struct span *text, const char *units)
{
	int count = 0;

	for (; text->len; count++, units++) {
		struct span at = *text;

		if (text_digits(&at) == 0)
			break;
		/* Only the first may be any of them. */
		while (count == 0 && *units && text_peek(&at) != *units)
			units++;
		if (!*units || !text_take(&at, *units))
			return -1;
		*text = at;
	}
	return count;
}

/* duration of RFC 3339, appendix A */
static FORMAT(duration)
{
	if (!text_take(&text, 'P'))
		return false;
	struct span week = text;
	if (text_digits(&week) && text_take(&week, 'W'))
		return week.len == 0;
	int dates = take_amounts(&text, "YMD"), times = 0;
	bool has_time = dates >= 0 && text_take(&text, 'T');
	if (has_time)
		times = take_amounts(&text, "HMS");
	return dates >= 0 && text.len == 0 && (has_time ? times > 0 : dates > 0);
}

/* RFC 6901 */
static FORMAT(json_pointer)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] == '~' &&
			(i + 1 == text.len || (text.data[i + 1] != '0' && text.data[i + 1] != '1')))
			return false;
	return text.len == 0 || text.data[0] == '/';
}

/* Skips a number without zeros in front. */
static bool take_whole_number(struct span *text)
{
	bool is_zero = text_peek(text) == '0';
	size_t count = text_digits(text);

	return count == 1 || (count > 1 && !is_zero);
}

/* An index may be moved in the text's second version, to which the drafts refer since 2019-09. */
static FORMAT(relative_json_pointer)
{
	if (!take_whole_number(&text))
		return false;
	if (draft >= DRAFT_2019_09 && (text_take(&text, '+') || text_take(&text, '-')) &&
		(text_peek(&text) == '0' || !take_whole_number(&text)))
		return false;
	return span_is(text, "#") || format_is_json_pointer(text, draft);
}

static FORMAT(uuid)
{
	for (size_t i = 0; i < text.len; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? text.data[i] != '-' : !text_is_hex((unsigned char)text.data[i]))
			return false;
	}
	return text.len == 36;
}

static FORMAT(regex)
{
	char reason[PATTERN_REASON_MAX];
	struct pattern *pattern = NULL;

	int r = pattern_new(text, &pattern, reason);
	if (r == 0)
		pattern_free(pattern);
	return r < 0 ? r : r != PATTERN_BAD;
}

const struct string_format *string_format_find(struct span name)
{
	static const struct string_format formats[] = {
		{"date-time", format_is_date_time},
		{"date", format_is_date},
		{"time", format_is_time},
		{"duration", format_is_duration},
		{"email", format_is_email},
		{"idn-email", format_is_idn_email},
		{"hostname", format_is_hostname},
		{"idn-hostname", format_is_idn_hostname},
		{"ipv4", format_is_ipv4},
		{"ipv6", format_is_ipv6},
		{"uri", format_is_uri},
		{"uri-reference", format_is_uri_reference},
		{"iri", format_is_iri},
		{"iri-reference", format_is_iri_reference},
		{"uri-template", format_is_uri_template},
		{"json-pointer", format_is_json_pointer},
		{"relative-json-pointer", format_is_relative_json_pointer},
		{"regex", format_is_regex},
		{"uuid", format_is_uuid},
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (span_is(name, formats[i].name))
			return &formats[i];
	return NULL;
}
