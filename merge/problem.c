#include "problem.h"

#include <stdio.h>
#include <string.h>

#include "shown.h"

/* Sets the message; `filled` has the place. */
static int fill(
	struct problem *problem, struct problem filled, const char *format, va_list arguments)
{
	/* The arguments may point into *problem, if one problem is wrapped in another. */
	char raw[2 * PROBLEM_MESSAGE_MAX];

	if (vsnprintf(raw, sizeof(raw), format, arguments) < 0)
		raw[0] = '\0';
	shown_head(filled.message, sizeof(filled.message), raw);
	*problem = filled;
	return PROBLEM;
}

int problem_set(struct problem *problem, const char *source, unsigned line, unsigned column,
	const char *format, ...)
{
	struct problem filled = {.line = line, .column = column};
	va_list arguments;

	if (source)
		shown_tail(filled.source, sizeof(filled.source), source);
	va_start(arguments, format);
	fill(problem, filled, format, arguments);
	va_end(arguments);
	return PROBLEM;
}

int problem_at(struct problem *problem, const struct node *node, const char *format, ...)
{
	struct problem filled = {.message = ""};
	va_list arguments;

	if (node && node->source) {
		filled.line = node->line;
		filled.column = node->column;
		shown_tail(filled.source, sizeof(filled.source), node->source->name);
		problem_place(&filled, node->source);
	}
	va_start(arguments, format);
	fill(problem, filled, format, arguments);
	va_end(arguments);
	return PROBLEM;
}

int problem_reword(struct problem *problem, const struct problem *at, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(problem, *at, format, arguments);
	va_end(arguments);
	return PROBLEM;
}

void problem_hide_word(struct problem *problem)
{
	const char *end = *problem->message == '"' ? strstr(problem->message, "\" ") : NULL;

	if (end)
		problem_reword(problem, problem, "a word%s", end + 1);
}

void problem_by(struct problem *problem, const char *program)
{
	shown_head(problem->program, sizeof(problem->program), program);
}

bool problem_is_in(const struct problem *problem, const struct source *source)
{
	char name[PROBLEM_SOURCE_MAX];

	shown_tail(name, sizeof(name), source->name);
	return strcmp(problem->source, name) == 0;
}

void problem_place(struct problem *problem, const struct source *source)
{
	if (source->place && problem_is_in(problem, source))
		shown_tail(problem->place, sizeof(problem->place), source->place);
}

bool problem_equal(const struct problem *a, const struct problem *b)
{
	return a->line == b->line && a->column == b->column && strcmp(a->source, b->source) == 0 &&
	       strcmp(a->place, b->place) == 0 && strcmp(a->message, b->message) == 0 &&
	       strcmp(a->program, b->program) == 0;
}

size_t problem_format(const struct problem *problem, char *buffer, size_t size)
{
	char place[32] = "";
	const char *source = problem->place[0] ? problem->place : problem->source;
	const char *colon = source[0] || problem->line ? ": " : "";
	int length;

	if (problem->line && problem->column)
		snprintf(place, sizeof(place), "%u:%u", problem->line, problem->column);
	else if (problem->line)
		snprintf(place, sizeof(place), "%u", problem->line);

	length = snprintf(buffer, size, "%s%s%s%s%s%s%s", problem->program,
		problem->program[0] ? ": " : "", source, source[0] && place[0] ? ":" : "", place,
		colon, problem->message);
	return length < 0 ? 0 : (size_t)length;
}
