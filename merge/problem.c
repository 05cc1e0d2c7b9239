#include "problem.h"

#include <stdio.h>
#include <string.h>

#include "utf8.h"

#define ELLIPSIS "…"
#define ELLIPSIS_LEN (sizeof(ELLIPSIS) - 1)

/* Bytes of one character as it is shown, at most: "\xNN". */
#define SHOWN_MAX 4

/*
 * Control characters, and those that turn a terminal's text around or break a line: a message may
 * quote hostile input and is one line.
 */
static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
	       (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/* Puts the character at *p as it is shown into `out`, and moves *p behind it. */
static size_t show(const char **p, const char *end, char out[SHOWN_MAX + 1])
{
	size_t length = utf8_length(*p, end);

	if (length && !is_control(utf8_decode(*p, length))) {
		memcpy(out, *p, length);
		*p += length;
		return length;
	}
	snprintf(out, SHOWN_MAX + 1, "\\x%02X", (unsigned)(unsigned char)**p);
	*p += 1;
	return SHOWN_MAX;
}

static size_t shown_length(const char *p, const char *end)
{
	char shown[SHOWN_MAX + 1];
	size_t length = 0;

	while (p < end)
		length += show(&p, end, shown);
	return length;
}

/* `text` as it is shown, cut at its end to fit `size` bytes. */
static void show_head(char *out, size_t size, const char *text)
{
	const char *end = text + strlen(text);
	char shown[SHOWN_MAX + 1];
	size_t used = 0, fits = 0; /* `fits`: an ellipsis fits behind these bytes */

	while (text < end) {
		size_t length = show(&text, end, shown);

		if (used + length >= size) {
			memcpy(out + fits, ELLIPSIS, ELLIPSIS_LEN + 1);
			return;
		}
		memcpy(out + used, shown, length);
		used += length;
		if (used + ELLIPSIS_LEN < size)
			fits = used;
	}
	out[used] = '\0';
}

/* `text` as it is shown, cut in front to fit `size` bytes. */
static void show_tail(char *out, size_t size, const char *text)
{
	const char *end = text + strlen(text);
	size_t length = shown_length(text, end);
	char shown[SHOWN_MAX + 1];

	if (length >= size) {
		while (length + ELLIPSIS_LEN >= size)
			length -= show(&text, end, shown);
		memcpy(out, ELLIPSIS, ELLIPSIS_LEN);
		out += ELLIPSIS_LEN;
	}
	while (text < end) {
		size_t n = show(&text, end, shown);

		memcpy(out, shown, n);
		out += n;
	}
	*out = '\0';
}

static int fill(struct problem *problem, const char *source, unsigned line, unsigned column,
	const char *format, va_list arguments)
{
	/* Arguments may point into *problem, when one problem is wrapped in another. */
	struct problem filled = {.line = line, .column = column};
	char raw[2 * PROBLEM_MESSAGE_MAX];

	if (vsnprintf(raw, sizeof(raw), format, arguments) < 0)
		raw[0] = '\0';
	show_head(filled.message, sizeof(filled.message), raw);
	if (source)
		show_tail(filled.source, sizeof(filled.source), source);
	*problem = filled;
	return PROBLEM;
}

int problem_set(struct problem *problem, const char *source, unsigned line, unsigned column,
	const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(problem, source, line, column, format, arguments);
	va_end(arguments);
	return PROBLEM;
}

int problem_at(struct problem *problem, const struct node *node, const char *format, ...)
{
	bool has_place = node && node->source;
	va_list arguments;

	va_start(arguments, format);
	fill(problem, has_place ? node->source->name : NULL, has_place ? node->line : 0,
		has_place ? node->column : 0, format, arguments);
	va_end(arguments);
	return PROBLEM;
}

size_t problem_format(const struct problem *problem, char *buffer, size_t size)
{
	char place[32] = "";
	const char *colon = problem->source[0] || problem->line ? ": " : "";
	int length;

	if (problem->line && problem->column)
		snprintf(place, sizeof(place), "%u:%u", problem->line, problem->column);
	else if (problem->line)
		snprintf(place, sizeof(place), "%u", problem->line);

	length = snprintf(buffer, size, "%s%s%s%s%s", problem->source,
		problem->source[0] && place[0] ? ":" : "", place, colon, problem->message);
	return length < 0 ? 0 : (size_t)length;
}
