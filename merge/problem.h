/*
 * A problem: a finding for a person, with its place and the remedy.
 *
 * A function that can find one takes a `struct problem *` and returns PROBLEM (positive) when it
 * filled it; 0 and -errno leave it untouched. A problem owns no memory and may be copied.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include "node.h"

/* The positive result of every function that fills a problem. */
#define PROBLEM 1

/* Bytes; longer texts are cut with "…" (a source's name in front, a message at its end). */
#define PROBLEM_SOURCE_MAX 1024
#define PROBLEM_MESSAGE_MAX 1024
#define PROBLEM_PROGRAM_MAX 64

struct problem {
	char source[PROBLEM_SOURCE_MAX];   /* as the user knows it: "site/app.yaml"; "" when none */
	char place[PROBLEM_SOURCE_MAX];    /* that is shown for it if it is a copy; "": it is none */
	unsigned line;                     /* starting at 1; 0: the source as a whole */
	unsigned column;                   /* in characters, starting at 1; 0: the line as a whole */
	char message[PROBLEM_MESSAGE_MAX]; /* what, and what to do: one line, no full stop */
	char program[PROBLEM_PROGRAM_MAX]; /* whose message it is; "": ours */
};

/**
 * Fills `problem` and returns PROBLEM, so that a caller can write `return problem_set(…)`.
 * `source` may be NULL. Control characters and bytes that are not UTF-8, which hostile input may
 * carry into a message, come out escaped as \xNN.
 */
__attribute__((format(printf, 5, 6))) int problem_set(struct problem *problem, const char *source,
	unsigned line, unsigned column, const char *format, ...);

/** problem_set() with the place that `node` was read from; a made node gives no place. */
__attribute__((format(printf, 3, 4))) int problem_at(
	struct problem *problem, const struct node *node, const char *format, ...);

/** problem_set() with the place of another problem, or of the same. */
__attribute__((format(printf, 3, 4))) int problem_reword(
	struct problem *problem, const struct problem *at, const char *format, ...);

/** Notes that the message is that program's. */
void problem_by(struct problem *problem, const char *program);

/** Notes that the problem is in the source, if that is so: of a copy the original is shown. */
void problem_place(struct problem *problem, const struct source *source);

bool problem_equal(const struct problem *a, const struct problem *b);

/**
 * Writes "PROGRAM: SOURCE:LINE:COLUMN: MESSAGE" with a NUL behind it, leaving out the parts that are 0 or
 * empty. Returns the length in bytes; longer than `size` - 1 means cut, as with snprintf(3).
 */
size_t problem_format(const struct problem *problem, char *buffer, size_t size);
