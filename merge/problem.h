/*
 * A problem: a finding for a person, with its place and the remedy.
 *
 * A function that can find a problem takes a `struct problem *`. If it returns PROBLEM, it has
 * filled the problem. After other results the problem is undefined, except where the function's
 * comment gives it a meaning. A problem owns no memory, and may be copied.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include "node.h"

/* The positive result of a function that has filled a problem. */
#define PROBLEM 1

/* In bytes. Of a longer text, "…" replaces the front (a source's name) or the end (a message). */
#define PROBLEM_SOURCE_MAX 1024
#define PROBLEM_MESSAGE_MAX 1024
#define PROBLEM_PROGRAM_MAX 64

struct problem {
	char source[PROBLEM_SOURCE_MAX]; /* as the user knows it: "site/app.yaml"; "" if none */
	char place[PROBLEM_SOURCE_MAX];  /* shown instead of `source`; "": none (problem_place()) */
	unsigned line;                   /* starting at 1; 0: the source as a whole */
	unsigned column;                 /* in characters, starting at 1; 0: the line as a whole */
	char message[PROBLEM_MESSAGE_MAX]; /* the error and the remedy: one line, no full stop */
	char program[PROBLEM_PROGRAM_MAX]; /* the program that gave the message; "": plyfs itself */
};

/** Fills `problem`, with its texts escaped as in shown.h. `source` may be NULL. Returns PROBLEM. */
__attribute__((format(printf, 5, 6))) int problem_set(struct problem *problem, const char *source,
	unsigned line, unsigned column, const char *format, ...);

/** As problem_set(), at the place of `node`, if it has one. */
__attribute__((format(printf, 3, 4))) int problem_at(
	struct problem *problem, const struct node *node, const char *format, ...);

/** Copies *at to *problem, with a new message. Both may be the same problem. Returns PROBLEM. */
__attribute__((format(printf, 3, 4))) int problem_reword(
	struct problem *problem, const struct problem *at, const char *format, ...);

/**
 * If the message begins with a word in "quotes", replaces the word by "a word", as it may be a
 * secret. Each message that quotes a value's text, tag, anchor or alias begins with the quote.
 * Exception: the words that decide the merge (a directive, an item's key, a file's name).
 */
void problem_hide_word(struct problem *problem);

/** Sets problem->program. */
void problem_by(struct problem *problem, const char *program);

/** Returns whether problem->source is the name of `source`. */
bool problem_is_in(const struct problem *problem, const struct source *source);

/** If problem->source is the name of `source`, sets problem->place to source->place, if any. */
void problem_place(struct problem *problem, const struct source *source);

bool problem_equal(const struct problem *a, const struct problem *b);

/**
 * Writes "PROGRAM: SOURCE:LINE:COLUMN: MESSAGE", without the parts that are 0 or empty. SOURCE is
 * problem->place, if set. Cuts the text and returns its length as snprintf(3) does.
 */
size_t problem_format(const struct problem *problem, char *buffer, size_t size);
