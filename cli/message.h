/*
 * Messages to the person at the terminal: lines on standard error that begin with "plyfs: ".
 * In colour on a terminal only, and never when NO_COLOR is set (no-color.org).
 */
#pragma once

#include <stdio.h>

#include "problem.h"
#include "span.h"

/* Bytes of a message, its place included; a longer one is cut. */
#define MESSAGE_MAX (PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 32)

/* Blanks before an excerpt below a message. */
#define MESSAGE_INDENT 4

/** "plyfs: …", one line, with control characters escaped. A newline is added. */
__attribute__((format(printf, 1, 2))) void message(const char *format, ...);

/** "plyfs: FILE:LINE:COLUMN: …". */
void message_problem(const struct problem *problem);

/**
 * The message for `result`, which a function that fills a problem has returned and which is not 0:
 * the problem, or else "SUBJECT: " and the text of -errno. `subject` may be NULL. Returns
 * EXIT_FAILED.
 */
int message_result(int result, const struct problem *problem, const char *subject);

/**
 * The line of `text` where the problem is, `indent` blanks in, with a caret below its column.
 * Prints nothing for a problem that has no line, or one that `text` has not.
 */
void message_excerpt(FILE *out, int indent, const struct problem *problem, struct span text);
