/*
 * Which node was made from which: a hash table of addresses. A zero value is an empty one.
 */
#pragma once

#include <stddef.h>

#include "node.h"

struct node_memo {
	const struct node **from;
	struct node **to;
	size_t size; /* slots, a power of two; 0: none yet */
	size_t count;
};

/** What was noted for `from`, or NULL. */
struct node *node_memo_find(const struct node_memo *memo, const struct node *from);

/** Notes that `to` was made from `from`, for which nothing is noted yet. 0 or -ENOMEM. */
int node_memo_add(struct node_memo *memo, const struct node *from, struct node *to);

void node_memo_fini(struct node_memo *memo);
