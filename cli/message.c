#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "colour.h"
#include "command.h"
#include "json_put.h"
#include "shown.h"
#include "text.h"
#include "utf8.h"

/* Maximum number of a line's characters that are shown, and of those before the caret. */
#define EXCERPT_MAX 100
#define EXCERPT_BEFORE 70

static bool is_json;

void message_use_json(bool use)
{
	is_json = use;
	/* Line buffered: each message is one write. */
	if (use)
		setvbuf(stderr, NULL, _IOLBF, 0);
}

bool message_is_json(void)
{
	return is_json;
}

static void put_json(const char *kind, const char *text, const struct problem *problem)
{
	const char *path = problem->place[0] ? problem->place : problem->source;

	flockfile(stderr);
	json_put(JSON(stderr), "{%s: {'message': %s, 'path': %s", kind, text, *path ? path : NULL);
	json_put(JSON(stderr), problem->line ? ", 'line': %u" : ", 'line': null", problem->line);
	json_put(JSON(stderr), problem->column ? ", 'column': %u" : ", 'column': null",
		problem->column);
	if (problem->program[0])
		json_put(JSON(stderr), ", 'program': %s", problem->program);
	fputs("}}\n", stderr);
	funlockfile(stderr);
}

int message(const char *format, ...)
{
	char text[MESSAGE_MAX];
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (n < 0)
		return EXIT_FAILED;
	/* The text may quote any name or argument: escape it. */
	char line[MESSAGE_MAX];
	shown_head(line, sizeof(line), text);
	if (is_json)
		put_json("error", line, &(struct problem){0});
	else
		fprintf(stderr, "plyfs: %s\n", line);
	return EXIT_FAILED;
}

int message_at(const char *path, const char *format, ...)
{
	char text[2 * PROBLEM_MESSAGE_MAX]; /* problem_set() cuts it */
	struct problem problem;
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	problem_set(&problem, path, 0, 0, "%s", n < 0 ? "" : text);
	return message_problem(&problem);
}

static void put(const char *kind, const struct problem *problem)
{
	char text[MESSAGE_MAX];
	size_t len = problem_format(problem, text, sizeof(text));
	size_t place = len - strlen(problem->message);

	if (is_json)
		put_json(kind, problem->message, problem);
	else if (place > 0 && len < sizeof(text) && colour_use(STDERR_FILENO))
		fprintf(stderr, "plyfs: " COLOUR_BOLD "%.*s" COLOUR_NORMAL "%s\n", (int)place, text,
			text + place);
	else
		fprintf(stderr, "plyfs: %s\n", text);
}

int message_problem(const struct problem *problem)
{
	put("error", problem);
	return EXIT_FAILED;
}

void message_warning(const struct problem *problem)
{
	put("warning", problem);
}

int message_result(int result, const struct problem *problem, const char *subject)
{
	if (result == PROBLEM)
		return message_problem(problem);
	return subject ? message_at(subject, "%s", text_error(result))
		       : message("%s", text_error(result));
}

/*
 * Finds the line with that number, starting at 1, without its end and without the byte order mark
 * of the text, which no column counts. False: there is none.
 */
static bool find_line(struct span text, unsigned number, struct span *ret)
{
	const char *at = text.data, *end = span_end(text);

	if (span_begins(text, "\xEF\xBB\xBF"))
		at += 3;
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

/* Moves *at over one character. *shown is its form on the terminal, one column wide. */
static void next_character(const char **at, const char *end, struct span *shown)
{
	size_t length = utf8_length(*at, end);
	/*
	 * A tab is shown as one blank, to keep the caret in place. Other control characters are
	 * replaced.
	 */
	if (length && !shown_is_escaped(utf8_decode(*at, length)))
		*shown = (struct span){*at, length};
	else
		*shown = span_of(**at == '\t' ? " " : "?");
	*at += length ? length : 1;
}

void message_excerpt(FILE *out, int indent, const struct problem *problem, struct span text)
{
	unsigned first = problem->column > EXCERPT_BEFORE ? problem->column - EXCERPT_BEFORE : 1;
	struct span line, shown;

	if ((is_json && out == stderr) || problem->line == 0 || text.len == 0 ||
		!find_line(text, problem->line, &line))
		return;

	const char *at = line.data, *end = span_end(line);
	fprintf(out, "%*s%s", indent, "", first > 1 ? "…" : "");
	for (unsigned column = 1; at < end && column < first + EXCERPT_MAX; column++) {
		next_character(&at, end, &shown);
		if (column >= first)
			fwrite(shown.data, 1, shown.len, out);
	}
	fputs(at < end ? "…\n" : "\n", out);
	if (problem->column == 0)
		return;

	bool is_coloured = colour_use(fileno(out));
	int blanks = (int)(problem->column - first) + (first > 1);
	fprintf(out, "%*s%s^%s\n", indent + blanks, "", is_coloured ? COLOUR_BOLD_RED : "",
		is_coloured ? COLOUR_NORMAL : "");
}
