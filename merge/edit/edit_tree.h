/*
 * What an op means, for the tree alone: the one that the edited text must have.
 */
#pragma once

#include "edit.h"

/* The roots of a text's documents, as they are meant to be. */
struct edit_tree {
	const struct node *const *roots;
	size_t count;
	const struct format *format; /* what the text can say of it; NULL: all */
};

/**
 * The op as it comes to in `tree`: what is missing on the way to its place is made in its value, so
 * that all steps lead to something, but the last of one that sets a new key. 0 with *ret in the
 * arena; PROBLEM when it leads nowhere; or -ENOMEM.
 */
int edit_tree_resolve(const struct edit_tree *tree, const struct edit_op *op, struct arena *arena,
	struct edit_op *ret, struct problem *problem);

/** `value` in maps and lists of one entry, so that the steps lead to it. NULL: no memory. */
const struct node *edit_tree_wrap(
	const struct edit_step *steps, size_t count, const struct node *value, struct arena *arena);

/** `tree` with a resolved op done to it. 0 or -ENOMEM. */
int edit_tree_apply(const struct edit_tree *tree, const struct edit_op *op, struct arena *arena,
	struct edit_tree *ret);

/** What the step leads to in a map or list, or NULL; a scalar has nothing. */
const struct node *edit_tree_entry(const struct node *in, const struct edit_step *step);

/** What the first `count` steps lead to, or NULL. */
const struct node *edit_tree_follow(
	const struct edit_tree *tree, const struct edit_op *op, size_t count);

/** Whether the document is that tree: the same values, typed, in the same order. */
bool edit_tree_is(const struct edit_tree *tree, const struct document *document);
