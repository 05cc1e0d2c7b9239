#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "utf8.h"

/* Characters of a line that are shown, and of those how many at most in front of the caret. */
#define EXCERPT_MAX 100
#define EXCERPT_BEFORE 70

#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define NORMAL "\033[0m"

static bool has_colour(void)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(STDERR_FILENO) && (!no_color || !*no_color);
}

void message(const char *format, ...)
{
	char text[MESSAGE_MAX];
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (n >= 0)
		fprintf(stderr, "plyfs: %s\n", text);
}

void message_problem(const struct problem *problem)
{
	char text[MESSAGE_MAX];
	size_t len = problem_format(problem, text, sizeof(text));
	size_t place = len - strlen(problem->message);

	if (place > 0 && len < sizeof(text) && has_colour())
		fprintf(stderr, "plyfs: " BOLD "%.*s" NORMAL "%s\n", (int)place, text,
			text + place);
	else
		fprintf(stderr, "plyfs: %s\n", text);
}

void message_result(int result, const struct problem *problem, const char *subject)
{
	if (result == PROBLEM)
		message_problem(problem);
	else if (subject)
		message("%s: %s", subject, strerror(-result));
	else
		message("%s", strerror(-result));
}

/* The line with that number, starting at 1, without its end. False when there is none. */
static bool find_line(struct span text, unsigned number, struct span *ret)
{
	const char *at = text.data, *end = text.data + text.len;

	for (; number > 1; number--) {
		at = memchr(at, '\n', (size_t)(end - at));
		if (!at)
			return false;
		at++;
	}
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	size_t len = (size_t)((newline ? newline : end) - at);
	if (len > 0 && at[len - 1] == '\r')
		len--;
	*ret = (struct span){at, len};
	return len > 0;
}

/* Moves *at over one character. *shown: how it is shown, one column wide. */
static void next_character(const char **at, const char *end, struct span *shown)
{
	size_t length = utf8_length(*at, end);
	/* A tab as one blank keeps the caret in its place; the rest could steer the terminal. */
	bool is_plain = length > 1 ? utf8_decode(*at, length) >= 0xA0
				   : length == 1 && **at >= ' ' && **at != 0x7F;

	if (is_plain)
		*shown = (struct span){*at, length};
	else
		*shown = span_of(**at == '\t' ? " " : "?");
	*at += length ? length : 1;
}

void message_excerpt(const struct problem *problem, struct span text)
{
	unsigned first = problem->column > EXCERPT_BEFORE ? problem->column - EXCERPT_BEFORE : 1;
	struct span line, shown;

	if (problem->line == 0 || text.len == 0 || !find_line(text, problem->line, &line))
		return;

	const char *at = line.data, *end = line.data + line.len;
	fputs(first > 1 ? "    …" : "    ", stderr);
	for (unsigned column = 1; at < end && column < first + EXCERPT_MAX; column++) {
		next_character(&at, end, &shown);
		if (column >= first)
			fwrite(shown.data, 1, shown.len, stderr);
	}
	fputs(at < end ? "…\n" : "\n", stderr);
	if (problem->column == 0)
		return;

	bool is_coloured = has_colour();
	int blanks = (int)(problem->column - first) + (first > 1);
	fprintf(stderr, "    %*s%s^%s\n", blanks, "", is_coloured ? RED : "",
		is_coloured ? NORMAL : "");
}
