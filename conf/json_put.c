#include "json_put.h"

#include <errno.h>
#include <stdarg.h>

#include "scalar.h"
#include "shown.h"
#include "utf8.h"

/* Decimal digits of the largest uint64_t. */
#define DIGITS_MAX 20

static bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

/* Writes the character at *at, which is not plain, and moves *at behind it. */
static void put_character(FILE *out, const char **at, const char *end)
{
	static const char letters[] = "\"\\bfnrt", meant[] = "\"\\\b\f\n\r\t";
	size_t length = utf8_length(*at, end);
	uint32_t code = length ? utf8_decode(*at, length) : 0xFFFD;
	const char *letter = code > 0 && code < 0x80 ? strchr(meant, (int)code) : NULL;

	if (letter)
		fprintf(out, "\\%c", letters[letter - meant]);
	else if (!length || (code <= 0xFFFF && shown_is_escaped(code)))
		fprintf(out, "\\u%04x", (unsigned)code);
	else
		fwrite_unlocked(*at, 1, length, out);
	*at += length ? length : 1;
}

void json_put_span(struct json *json, struct span text)
{
	FILE *out = json->file;
	const char *at = text.data, *end = at + text.len;

	putc_unlocked('"', out);
	while (at < end) {
		const char *from = at;

		while (at < end && is_plain((unsigned char)*at))
			at++;
		if (at > from)
			fwrite_unlocked(from, 1, (size_t)(at - from), out);
		if (at < end)
			put_character(out, &at, end);
	}
	putc_unlocked('"', out);
	json->last = '"';
}

void json_put_string(struct json *out, const char *text)
{
	json_put_span(out, span_of(text));
}

static void put_number(FILE *out, uint64_t number)
{
	char text[DIGITS_MAX];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + number % 10);
	while (number /= 10);
	fwrite_unlocked(text + at, 1, sizeof(text) - at, out);
}

/* Writes the argument of the conversion whose "%" precedes `at`. Returns the conversion's end. */
static const char *put_argument(struct json *json, const char *at, va_list *arguments)
{
	FILE *out = json->file;
	const char *text;
	size_t longs = 0;

	for (; *at == 'l'; at++)
		longs++;
	switch (*at) {
	case 's':
		text = va_arg(*arguments, const char *);
		if (text)
			json_put_string(json, text);
		else
			fputs_unlocked("null", out);
		return at;
	case 'h':
		fputs_unlocked(va_arg(*arguments, int) ? "true" : "false", out);
		return at + strlen("hd");
	case '.':
		fprintf(out, "%.0f", va_arg(*arguments, double));
		return at + strlen("0f");
	case 'z':
		put_number(out, va_arg(*arguments, size_t));
		return at + 1;
	case 'u':
		put_number(out, longs == 0   ? va_arg(*arguments, unsigned)
				: longs == 1 ? va_arg(*arguments, unsigned long)
					     : va_arg(*arguments, unsigned long long));
		return at;
	default: /* %d */
		fprintf(out, "%lld",
			longs == 0   ? va_arg(*arguments, int)
			: longs == 1 ? va_arg(*arguments, long)
				     : va_arg(*arguments, long long));
		return at;
	}
}

/* Returns the number of bytes that are left out if `format` goes on behind an opening bracket. */
static size_t left_out(const char *format)
{
	size_t blanks = *format == '\n' ? strspn(format, " \n") : 0;

	if (*format == ',')
		return format[1] == ' ' ? 2 : 1;
	return format[blanks] == ']' || format[blanks] == '}' ? blanks : 0;
}

void json_put(struct json *out, const char *format, ...)
{
	char last = out->last;
	va_list arguments;

	va_start(arguments, format);
	for (;; format++) {
		if (last == '[' || last == '{')
			format += left_out(format);
		if (!*format)
			break;
		last = *format;
		if (last == '%')
			format = put_argument(out, format + 1, &arguments);
		else
			putc_unlocked(last == '\'' ? '"' : last, out->file);
	}
	va_end(arguments);
	out->last = last;
}

void json_put_problem(struct json *out, const struct problem *problem)
{
	json_put(out, "'source': %s", problem->source);
	if (problem->place[0])
		json_put(out, ", 'place': %s", problem->place);
	json_put(out, ", 'line': %u, 'column': %u", problem->line, problem->column);
	if (problem->program[0])
		json_put(out, ", 'program': %s", problem->program);
	json_put(out, ", 'message': %s", problem->message);
}

int json_put_scalar(struct json *out, const struct node *scalar, const struct format *format,
	struct arena *arena, bool *says_all)
{
	enum scalar_type type = scalar_type(scalar);
	struct span text = scalar->text;
	int r = 0;

	*says_all = true;
	bool is_text = format && !format_has_lists(format) && type != SCALAR_NULL;
	if (type == SCALAR_STRING || is_text) {
		json_put_span(out, text);
		return 0;
	}
	r = scalar_json(scalar, arena, &text);
	if (r == -ENOMEM)
		return r;
	if (r < 0 || type > SCALAR_FLOAT)
		json_put_span(out, r < 0 ? scalar->text : text);
	else
		fwrite_unlocked(text.data, 1, text.len, out->file);
	out->last = '0';
	*says_all = r == 0 && span_equal(text, scalar->text);
	return 0;
}

void json_put_key(struct json *out, const struct node *key)
{
	if (node_is_scalar(key))
		json_put_span(out, key->text);
	else
		json_put_string(out, node_is_map(key) ? "{…}" : "[…]");
}

static int put_map(
	struct json *out, const struct node *map, const struct format *format, struct arena *arena)
{
	int r = 0;

	json_put(out, "{");
	for (uint32_t i = 0; r == 0 && i < map->map.count; i++) {
		json_put(out, ", ");
		json_put_key(out, map->map.pairs[i].key);
		json_put(out, ": ");
		r = json_put_value(out, map->map.pairs[i].value, format, arena);
	}
	json_put(out, "}");
	return r;
}

int json_put_value(struct json *out, const struct node *value, const struct format *format,
	struct arena *arena)
{
	bool says_all;
	int r = 0;

	if (node_is_map(value))
		return put_map(out, value, format, arena);
	if (!node_is_sequence(value))
		return json_put_scalar(out, value, format, arena, &says_all);
	json_put(out, "[");
	for (uint32_t i = 0; r == 0 && i < value->seq.count; i++) {
		json_put(out, ", ");
		r = json_put_value(out, value->seq.items[i], format, arena);
	}
	json_put(out, "]");
	return r;
}
