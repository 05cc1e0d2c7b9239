/* A program that plyfs.yaml names: a check, or a change hook (`on_change`). */
#pragma once

#include <limits.h>

#include "arena.h"
#include "node.h"
#include "problem.h"

/* Greatest number of words in a program's command. */
#define PROGRAM_WORDS_MAX 64

/* Default limit of a program's run time, in milliseconds. */
#define PROGRAM_TIMEOUT_MS 10000

struct program {
	const char **words; /* as written, with %f and %%; NULL behind the last */
	const char *user; /* the user to run it as; NULL: the default of the process that runs it */
	unsigned timeout_ms;
	bool is_optional; /* of a check: if the program is missing, content is shown unchecked */
	const struct node *place; /* where its command stands in plyfs.yaml */
};

/** Reads `user` and `timeout` of a rule or virtual file, for its programs. Returns 0 or PROBLEM. */
int program_read_defaults(const struct node *map, struct program *ret, struct problem *problem);

/**
 * Reads a program: a list of words, or a map with `run`, `user`, `timeout` and, if `name` is
 * "check", `optional`. Messages call the program `name`. Returns 0 with *ret in `arena`, PROBLEM or
 * -ENOMEM. If value_is_given() is false for `node`, returns 0 and leaves *ret unchanged.
 */
int program_read(const struct node *node, const char *name, const struct program *defaults,
	struct arena *arena, const struct program **ret, struct problem *problem);

/** Returns whether one of the words has a %f, which stands for a file (program_words()). */
bool program_names_file(const struct program *program);

/**
 * Returns the words (the program and its arguments) with `file` for %f and a percent sign for %%.
 * The list lies in `arena`, and ends with NULL. Returns NULL when there is no memory.
 */
char **program_words(const struct program *program, const char *file, struct arena *arena);

/**
 * Returns a text, for free(3). Two programs have the same text if program_equal() returns true for
 * them, and only then. NULL: no memory.
 */
char *program_key(const struct program *program);

/* Size of the name from program_name(), in bytes. */
#define PROGRAM_NAME_MAX 64

/** Finds a name for messages. Skips a shell, env(1) and the like before the program's own name. */
void program_name(const struct program *program, char name[PROGRAM_NAME_MAX]);

/**
 * Does program_name(). Returns whether two things hold: the words are "sh -c SCRIPT", and the
 * shell looks for the program `name` in $PATH.
 */
bool program_name_in_script(const struct program *program, char name[PROGRAM_NAME_MAX]);

/**
 * Finds the program `name` as execvp(3) does, with `directories` ("A:B") for $PATH. Returns 0 with
 * its path; -ENOENT; or -EACCES: it exists, but this process can't execute it.
 */
int program_find(const char *directories, const char *name, char path[PATH_MAX]);

/** Returns whether all members but `place` are equal. NULL equals only NULL. */
bool program_equal(const struct program *a, const struct program *b);
