/*
 * Text to document and back, for the tests of the merge core; a failure fails the test.
 */
#pragma once

#include "cleanup.h"
#include "document.h"
#include "test.h"
#include "untimed.h"

static inline struct document *read_with(struct read_options options, struct span text)
{
	const struct source source = {.name = "app.yaml", .layer = "site", .rank = 1};
	struct document *document = NULL;
	struct problem problem;

	if (!options.limits.nodes)
		options.limits = limits_untimed();
	int r = document_read(&source, text, &options, &document, &problem);
	if (r == PROBLEM)
		fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
	assert_int_equal(r, 0);
	return document;
}

static inline struct document *read_yaml(const char *text)
{
	return read_with((struct read_options){.format = &format_yaml}, span_of(text));
}

static inline struct document *read_json(const char *text)
{
	return read_with((struct read_options){.format = &format_json}, span_of(text));
}

/* Returns the problem of the text, as "LINE:COLUMN: MESSAGE". Static. */
static inline const char *problem_with(struct read_options options, struct span text)
{
	static char shown[2 * PROBLEM_MESSAGE_MAX];
	const struct source source = {.name = "", .layer = "site"};
	struct document *document = NULL;
	struct problem problem;
	int r = document_read(&source, text, &options, &document, &problem);

	document_free(document);
	if (r != PROBLEM)
		fail_msg("no problem was found in: %.*s", (int)text.len, text.data);
	problem_format(&problem, shown, sizeof(shown));
	return shown;
}

static inline const char *yaml_problem(const char *text)
{
	return problem_with((struct read_options){.format = &format_yaml}, span_of(text));
}

static inline const char *json_problem(const char *text)
{
	return problem_with((struct read_options){.format = &format_json}, span_of(text));
}

/* Returns the problem of writing the values of a text of YAML in the format. */
static inline const char *problem_of_writing(const char *yaml, const struct format *format)
{
	static char shown[2 * PROBLEM_MESSAGE_MAX];
	CLEANUP(document_freep) struct document *document = read_yaml(yaml);
	struct limits limits = {0};
	struct problem problem;
	struct span text;

	assert_int_equal(document_write(document->roots[0], format, &limits, document->arena, &text,
				 &problem),
		PROBLEM);
	problem_format(&problem, shown, sizeof(shown));
	return shown;
}

static inline struct span write_as(
	const struct node *root, const struct format *format, struct arena *arena)
{
	struct limits limits = {0};
	struct problem problem;
	struct span text = {NULL, 0};
	int r = document_write(root, format, &limits, arena, &text, &problem);

	if (r == PROBLEM)
		fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
	assert_int_equal(r, 0);
	return text;
}

/* Returns the text, read and written. */
static inline void assert_written(
	const struct format *from, const char *text, const struct format *to, const char *expected)
{
	CLEANUP(document_freep)
	struct document *document = read_with((struct read_options){.format = from}, span_of(text));

	assert_int_equal(document->count, 1);
	assert_string_equal(write_as(document->roots[0], to, document->arena).data, expected);
}
