/*
 * The pillar rules a second time, as plainly as possible: values are copied, files are built each
 * time they are named, lists are searched from end to end.
 */
#pragma once

#include "pillar_tree.h"

/* Deeper than any chain without a cycle among the files of a random pillar. */
#define STACK_MAX 16

struct value {
	enum node_kind kind;
	const struct node *scalar;
	const struct node **keys; /* of a map */
	struct value **values;    /* of a map or a list */
	size_t count;
	bool is_shielded;
};

struct model {
	struct arena *arena;
	struct pillar_tree *tree;
	const struct pillar_tree_file *stack[STACK_MAX];
	size_t depth;
};

/* The model's error for a merge that fails. */
enum { MODEL_FINE, MODEL_ABSENT, MODEL_CYCLE, MODEL_KINDS };

/**
 * Builds a file of model->tree, whose files lie in its root; *ret is NULL if it is empty. Returns
 * the model's result.
 */
int model_build(struct model *model, const struct pillar_tree_file *file, struct value **ret);

/** Whether the value and the node are the same, the order of keys included. */
bool model_is_same(const struct value *value, const struct node *node);

/** Whether a node is a scalar with that text. */
bool model_is_word(const struct node *node, const char *word);
