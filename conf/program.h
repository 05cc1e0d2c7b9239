/*
 * A program that plyfs.yaml has run: to check what is about to be shown, or to tell somebody of
 * what was.
 */
#pragma once

#include "arena.h"
#include "node.h"
#include "problem.h"

/* Words of its command. */
#define PROGRAM_WORDS_MAX 64

/* How long it may run, unless it is said. */
#define PROGRAM_TIMEOUT_MS 10000

struct program {
	const char **words; /* as written, with %f and %%; NULL behind the last */
	const char *user;   /* whom to run it as; NULL: who runs it knows */
	unsigned timeout_ms;
	bool is_optional; /* a check: where it is not installed, the content is shown unchecked */
	const struct node *place; /* where its command stands in plyfs.yaml */
};

/**
 * Takes `user` and `timeout` of a rule or virtual file, which it says of all of its programs.
 * Returns 0 or PROBLEM.
 */
int program_read_defaults(const struct node *map, struct program *ret, struct problem *problem);

/**
 * Takes a list of words, or a map with `run`, `user` and `timeout`; `name` is how messages call it.
 * Returns 0 with *ret, in `arena`, or as it was when nothing is given; PROBLEM; or -ENOMEM.
 */
int program_read(const struct node *node, const char *name, const struct program *defaults,
	struct arena *arena, const struct program **ret, struct problem *problem);

/** Whether some word names the file that it is run for. */
bool program_names_file(const struct program *program);

/**
 * The words with `file` in place of %f and a percent for %%, the first of which is the program.
 * Returns NULL for lack of memory, else a list in `arena` with NULL behind the last.
 */
char **program_words(const struct program *program, const char *file, struct arena *arena);

/** A text for free(3) that two programs share only if they run alike. NULL: no memory. */
char *program_key(const struct program *program);

/* Bytes of program_name(). */
#define PROGRAM_NAME_MAX 64

/**
 * Finds what people call the program: of a shell, env(1) or timeout(1), the program that it starts,
 * as far as the words tell.
 */
void program_name(const struct program *program, char name[PROGRAM_NAME_MAX]);

/** Whether both run alike. Both may be NULL. */
bool program_equal(const struct program *a, const struct program *b);
