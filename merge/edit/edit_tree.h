/* The effect of an op on the tree: the tree that the edited text must have. */
#pragma once

#include "edit.h"

/* The wanted roots of a text's documents. */
struct edit_tree {
	const struct node *const *roots;
	size_t count;
	/* the text's format, which may be unable to hold some trees; NULL: no limit */
	const struct format *format;
};

/**
 * Resolves the op in `tree`. Maps and lists that are missing along the op's steps become part of
 * the op's value. In *ret all steps but the last lead to entries that exist. The last step may lead
 * to a new key or the end of a list. Returns 0 with *ret, which borrows from `op` and `arena`;
 * PROBLEM if the op is impossible; or -ENOMEM.
 */
int edit_tree_resolve(const struct edit_tree *tree, const struct edit_op *op, struct arena *arena,
	struct edit_op *ret, struct problem *problem);

/** Makes nested maps and lists, each with one entry: the steps lead to `value`. NULL: no memory. */
const struct node *edit_tree_wrap(
	const struct edit_step *steps, size_t count, const struct node *value, struct arena *arena);

/** Applies a resolved op. *ret becomes a new tree; `tree` does not change. Returns 0 or -ENOMEM. */
int edit_tree_apply(const struct edit_tree *tree, const struct edit_op *op, struct arena *arena,
	struct edit_tree *ret);

/** Returns the entry that the step leads to in a map or list, or NULL. A scalar has no entries. */
const struct node *edit_tree_entry(const struct node *in, const struct edit_step *step);

/** Returns the node that the op's first `count` steps lead to in its document, or NULL. */
const struct node *edit_tree_follow(
	const struct edit_tree *tree, const struct edit_op *op, size_t count);

/** Returns the number of the op's steps before the first one that leads to an item of a list. */
static inline size_t edit_count_keys(const struct edit_op *op)
{
	size_t count = 0;

	while (count < op->count && op->steps[count].key)
		count++;
	return count;
}

/**
 * Returns whether the tree and the document have the same values and types, and the same order of
 * keys. If the format has sections, the order does not count.
 */
bool edit_tree_is(const struct edit_tree *tree, const struct document *document);

/** As edit_tree_is(), for two trees. */
bool edit_tree_is_same(const struct edit_tree *a, const struct edit_tree *b);

/**
 * Converts an op's value to options->format: `80` is a number in YAML and a string in INI. Writes
 * a text in which op->steps lead to op->value, and reads it with `options`. Sets op->value, and the
 * keys in op->steps, to the nodes that were read. `yaml` is the edited text's version of YAML;
 * NULL: that of the options. Does nothing for EDIT_REMOVE.
 *
 * Returns 0; PROBLEM if the format can't hold the value; or -ENOMEM. Before the call, set *ret to
 * NULL. *ret owns the new value: free *ret with document_free(), even after -ENOMEM.
 */
int edit_op_convert(struct edit_op *op, const enum node_schema *yaml,
	const struct read_options *options, struct arena *arena, struct document **ret,
	struct problem *problem);
