/*
 * The values of plyfs.yaml: each function here takes one, or says what is wrong with it and what is
 * allowed in its place.
 *
 * A `node` may be NULL, and may be null: then nothing was given, *ret keeps the default that the
 * caller put there, and the result is 0. `name` is how the message calls the value. All return 0,
 * or PROBLEM.
 */
#pragma once

#include <stdint.h>

#include "node.h"
#include "problem.h"

/* Entries of one list. Every rule costs time for every path. */
#define VALUE_LIST_MAX 4096

/** Whether anything was given. */
bool value_is_given(const struct node *node);

/** `word`, written at `node`, is not among `allowed`; `kind` is "key", "strategy" … PROBLEM. */
int value_unknown(const struct node *node, const char *kind, const char *word, const char *allowed,
	struct problem *problem);

/** `node`, which must not be NULL, is a map that has no keys but the `allowed`, see word.h. */
int value_map(
	const struct node *node, const char *name, const char *allowed, struct problem *problem);

/** A list. *ret is set to `node`, and stays as it was when nothing is given. */
int value_list(const struct node *node, const char *name, const struct node **ret,
	struct problem *problem);

/** A text that is not empty and has no NUL byte; it lives as long as the node. */
int value_text(
	const struct node *node, const char *name, const char **ret, struct problem *problem);

int value_bool(const struct node *node, const char *name, bool *ret, struct problem *problem);

/** The place of the word in `choices`, see word.h. */
int value_choice(const struct node *node, const char *name, const char *choices, unsigned *ret,
	struct problem *problem);

/* A unit's name and how many of the smallest one it is. */
struct value_unit {
	const char *name;
	uint64_t factor;
};

struct value_kind {
	const char *name;           /* for messages */
	struct value_unit units[8]; /* ends with a NULL name */
};

extern const struct value_kind value_number;
extern const struct value_kind value_size; /* in bytes, as 4096, 64K, 16M or 1GiB */
/* 500ms, 2s, 1m. A number without a unit is refused: some expect seconds, some milliseconds. */
extern const struct value_kind value_time_ms;

/* What a number may be, in the smallest unit. */
struct value_range {
	const struct value_kind *kind;
	uint64_t least;
	uint64_t most;
};

int value_amount(const struct node *node, const char *name, const struct value_range *range,
	uint64_t *ret, struct problem *problem);
