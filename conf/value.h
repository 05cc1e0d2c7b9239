/*
 * The values of plyfs.yaml. Each function reads one value, or reports an error with the values that
 * are allowed.
 *
 * If `node` is NULL or null, the user gave no value: *ret keeps the caller's default, and the
 * result is 0. Messages call the value `name`. An int result is 0 or PROBLEM.
 */
#pragma once

#include <stdint.h>

#include "node.h"
#include "problem.h"

/* Greatest number of entries in a list. The rules, for example, are searched for each path. */
#define VALUE_LIST_MAX 4096

bool value_is_given(const struct node *node);

/**
 * Reports that `word`, which stands at `node`, is not in `allowed`. `kind` says what the word is,
 * such as "key". Returns PROBLEM.
 */
int value_unknown(const struct node *node, const char *kind, const char *word, const char *allowed,
	struct problem *problem);

/** Checks that `node` (not NULL) is a map with only the `allowed` keys (word.h). Refuses null. */
int value_map(
	const struct node *node, const char *name, const char *allowed, struct problem *problem);

/** Reads a list: *ret becomes `node`. */
int value_list(const struct node *node, const char *name, const struct node **ret,
	struct problem *problem);

/* The items of a value that may be a list, or one item without the list. */
static inline size_t value_count(const struct node *node)
{
	return node && node_is_sequence(node) ? node->seq.count : 1;
}

static inline const struct node *value_item(const struct node *node, size_t i)
{
	return node && node_is_sequence(node) ? node->seq.items[i] : node;
}

/** Reads a text that is not empty and has no NUL byte. *ret lives as long as the node. */
int value_text(
	const struct node *node, const char *name, const char **ret, struct problem *problem);

int value_bool(const struct node *node, const char *name, bool *ret, struct problem *problem);

/** Reads a word: *ret becomes its index in `choices`, see word.h. */
int value_choice(const struct node *node, const char *name, const char *choices, unsigned *ret,
	struct problem *problem);

/* The name of a unit, and its size in the smallest unit. */
struct value_unit {
	const char *name;
	uint64_t factor;
};

struct value_kind {
	const char *name;           /* for messages */
	struct value_unit units[8]; /* ends with a NULL name */
};

extern const struct value_kind value_number;
extern const struct value_kind value_size; /* in bytes: 4096, 64K, 16M or 1GiB */
/* 500ms, 2s, 1m. A number without a unit is refused, as it could mean seconds or milliseconds. */
extern const struct value_kind value_time_ms;

/* The range of a number, in the smallest unit. */
struct value_range {
	const struct value_kind *kind;
	uint64_t least;
	uint64_t most;
};

/** Reads a number in `range`, with a unit of range->kind. *ret is in the smallest unit. */
int value_amount(const struct node *node, const char *name, const struct value_range *range,
	uint64_t *ret, struct problem *problem);
