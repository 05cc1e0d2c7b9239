/*
 * Messages to the person at the terminal: lines on standard error that begin with "plyfs: ".
 * In colour on a terminal only, and never when NO_COLOR is set (no-color.org). With --json a line
 * is a JSON object for programs, and no excerpt follows:
 *
 *      {"error": {"message": "…", "path": "site/app.yaml", "line": 3, "column": 7}}
 */
#pragma once

#include <stdio.h>

#include "problem.h"
#include "span.h"

/* Bytes of a message, its place included; a longer one is cut. */
#define MESSAGE_MAX (PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 32)

/* Blanks before an excerpt below a message. */
#define MESSAGE_INDENT 4

/** From now on, messages are JSON. */
void message_use_json(void);

/** "plyfs: …", one line, with control characters escaped. A newline is added. */
__attribute__((format(printf, 1, 2))) void message(const char *format, ...);

/** message(), of a path: "plyfs: PATH: …". */
__attribute__((format(printf, 2, 3))) void message_at(const char *path, const char *format, ...);

/** "plyfs: FILE:LINE:COLUMN: …". */
void message_problem(const struct problem *problem);

/** The same for what is no failure: in JSON a "warning" in the place of the "error". */
void message_warning(const struct problem *problem);

/**
 * The message for `result`, which a function that fills a problem has returned and which is not 0:
 * the problem, or else "SUBJECT: " and the text of -errno. `subject` may be NULL. Returns
 * EXIT_FAILED.
 */
int message_result(int result, const struct problem *problem, const char *subject);

/**
 * The line of `text` where the problem is, `indent` blanks in, with a caret below its column.
 * Prints nothing for a problem that has no line, or one that `text` has not, nor between JSON.
 */
void message_excerpt(FILE *out, int indent, const struct problem *problem, struct span text);
