#include "problem.h"

#include <stdio.h>
#include <string.h>

#include "shown.h"

static int fill(struct problem *problem, const char *source, unsigned line, unsigned column,
	const char *format, va_list arguments)
{
	/* Arguments may point into *problem, when one problem is wrapped in another. */
	struct problem filled = {.line = line, .column = column};
	char raw[2 * PROBLEM_MESSAGE_MAX];

	if (vsnprintf(raw, sizeof(raw), format, arguments) < 0)
		raw[0] = '\0';
	shown_head(filled.message, sizeof(filled.message), raw);
	if (source)
		shown_tail(filled.source, sizeof(filled.source), source);
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

bool problem_equal(const struct problem *a, const struct problem *b)
{
	return a->line == b->line && a->column == b->column && strcmp(a->source, b->source) == 0 &&
	       strcmp(a->message, b->message) == 0;
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
