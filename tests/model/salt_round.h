/*
 * A round of salt's model: layers of random documents, and a level for their merge.
 */
#pragma once

#include "document.h"
#include "merge.h"
#include "random_tree.h"

#define SALT_ROUND_LAYERS_MAX 5

struct salt_round {
	struct arena *arena;
	struct random random;
	struct document documents[SALT_ROUND_LAYERS_MAX];
	const struct node *roots[SALT_ROUND_LAYERS_MAX];
	struct merge_input inputs[SALT_ROUND_LAYERS_MAX];
	size_t count;
	const char *level; /* for the model */
	const char *given; /* the same, as an option */
};

/** Makes the round of that seed, with an arena of its own, which the caller frees. */
void salt_round_init(struct salt_round *round, uint64_t seed);
