/*
 * Ways: what an op on the result of a merge may be in one of its sources.
 */
#pragma once

#include "put.h"

/* Positive result of put_way(): there is no such way, or none with a higher number. */
enum { PUT_WAY_NONE = 3, PUT_WAY_LAST };

struct put_ground {
	const struct merge_request *merge;
	const struct node *result; /* the tree that the op is of; NULL: nothing */
	const struct node *wanted; /* what is to become of it */
	const struct document
		*document;           /* of the target; what `result` took from it is its nodes */
	const struct format *format; /* of the target */
	struct arena *arena;
};

/**
 * The op in the target that is the way `number`, from 0 on; ret->document is one of the target's.
 * 0, PUT_WAY_NONE, PUT_WAY_LAST or -ENOMEM.
 */
int put_way(const struct put_ground *ground, const struct edit_op *op, unsigned number,
	struct edit_op *ret);
