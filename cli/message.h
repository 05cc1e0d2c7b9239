/*
 * Messages: lines on standard error that begin with "plyfs: ". With --json, each line is a JSON
 * object, and no excerpt follows:
 *
 *      {"error": {"message": "…", "path": "site/app.yaml", "line": 3, "column": 7}}
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "problem.h"
#include "span.h"

/* Size of a message with its place, in bytes; a longer one is cut. */
#define MESSAGE_MAX (PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 32)

/* Number of blanks before an excerpt below a message. */
#define MESSAGE_INDENT 4

/** Makes all further messages JSON (true) or text (false). */
void message_use_json(bool use);

/** Returns whether messages are JSON. After command_options(): whether --json was given. */
bool message_is_json(void);

/* The functions that print an error return EXIT_FAILED. */

/** Prints "plyfs: …" as one line, with control characters escaped and a newline added. */
__attribute__((format(printf, 1, 2))) int message(const char *format, ...);

/** Prints a message() about a path: "plyfs: PATH: …". */
__attribute__((format(printf, 2, 3))) int message_at(const char *path, const char *format, ...);

/** Prints "plyfs: FILE:LINE:COLUMN: …". */
int message_problem(const struct problem *problem);

/** As message_problem(), for a warning: in JSON, "warning" replaces "error". */
void message_warning(const struct problem *problem);

/**
 * Prints the message for the non-zero `result` of a function that fills a problem. For PROBLEM,
 * prints the problem. For -errno, prints "SUBJECT: " (`subject` may be NULL) and the error's text.
 */
int message_result(int result, const struct problem *problem, const char *subject);

/**
 * Prints the problem's line of `text`, indented by `indent` blanks, with a caret below its column.
 * If `text` has no such line, or `out` is standard error and messages are JSON, prints nothing.
 */
void message_excerpt(FILE *out, int indent, const struct problem *problem, struct span text);
