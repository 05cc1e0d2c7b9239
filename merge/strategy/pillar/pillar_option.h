/*
 * What the pillar strategy is told: its options, and the names that its files hold.
 */
#pragma once

#include "option.h"

/* Reference keys, each of which is looked for in every file. Salt's has three. */
#define PILLAR_KEYS_MAX 16

/* In a map, with the value `_replace`: a marker. */
#define PILLAR_CONTROL "_control"
#define PILLAR_REPLACE "_replace"

struct pillar_options {
	const char *data_path;                    /* without a slash at its end */
	const struct node *keys[PILLAR_KEYS_MAX]; /* the reference keys, in their order */
	size_t key_count;
	const struct node *neighbour; /* the neighbours' key; NULL: none */
};

/** Options for struct strategy, and their check(). */
extern const struct option_spec pillar_option_specs[];
int pillar_options_check(const struct options *options, struct problem *problem);

/** Reads options that have been checked. Returns 0 or -ENOMEM. */
int pillar_options_read(
	const struct options *options, struct arena *arena, struct pillar_options *ret);

/** Whether `name` means something as a key of a file's root. */
bool pillar_options_has(const struct pillar_options *options, struct span name);

/* The names that a value gives: the items of a list, or one scalar; null gives none. */
size_t pillar_name_count(const struct node *value);
const struct node *pillar_name_at(const struct node *value, size_t i);

/** Whether the node can be a name: a scalar, whose text counts as it is written. */
bool pillar_name_is_valid(const struct node *name);
