/*
 * A way: one form that an op on the merged result can take in a single source.
 */
#pragma once

#include "edit_tree.h"
#include "put.h"

/* Positive results of put_way(). PUT_WAY_NONE: this way does not exist. PUT_WAY_LAST: neither this
 * way nor a later one exists. */
enum { PUT_WAY_NONE = 3, PUT_WAY_LAST };

struct put_ground {
	const struct merge_request *merge;
	const struct stream *result;    /* the documents that the op applies to */
	const struct edit_tree *wanted; /* the wanted documents */
	/* of the target; `result` shares the nodes that it took from it */
	const struct document *document;
	const struct format *format; /* of the target */
	struct arena *arena;
};

/**
 * Makes the op in the target that is the way `number`, starting at 0. ret->document is the index of
 * one of the target's documents. Returns 0, PUT_WAY_NONE, PUT_WAY_LAST or -ENOMEM.
 */
int put_way(const struct put_ground *ground, const struct edit_op *op, unsigned number,
	struct edit_op *ret);
