/* The options of the pillar strategy, and how a file names other files (pillar.c). */
#pragma once

#include "option.h"

/* Greatest number of reference keys, such as _merge. */
#define PILLAR_KEYS_MAX 16

/*
 * A marker is the pair `_control: _replace` in a map, or `_replace` as the first item of a list. No
 * other value is combined into a map or list with a marker.
 */
#define PILLAR_CONTROL "_control"
#define PILLAR_REPLACE "_replace"

struct pillar_options {
	const char *data_path;                    /* without a slash at its end */
	const struct node *keys[PILLAR_KEYS_MAX]; /* the reference keys */
	size_t key_count;
	const struct node *neighbour; /* the option `neighbour_key` (plyfs-merge(7)); NULL: none */
};

/** The members `options` and `check` of the struct strategy of pillar. */
extern const struct option_spec pillar_option_specs[];
int pillar_options_check(const struct options *options, struct problem *problem);

/** Reads options that pillar_options_check() accepts. Returns 0 or -ENOMEM. */
int pillar_options_read(
	const struct options *options, struct arena *arena, struct pillar_options *ret);

/** Returns whether `name` is _control, a reference key, or the neighbour key. */
bool pillar_options_has(const struct pillar_options *options, struct span name);

/** Returns the number of names in `value`, which is a list of names, one name, or null. */
size_t pillar_name_count(const struct node *value);

/** Returns name `i` of the value, starting at 0. */
const struct node *pillar_name_at(const struct node *value, size_t i);

/** Returns whether the node can be a name: a scalar, but not null, binary or SCALAR_FOREIGN. */
bool pillar_name_is_valid(const struct node *name);
