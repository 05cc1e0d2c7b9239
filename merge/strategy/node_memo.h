/* A hash table from a node's address to the node that was made from it. All zero: empty. */
#pragma once

#include <stddef.h>

#include "node.h"

struct node_memo {
	const struct node **from;
	struct node **to;
	size_t size; /* slots, a power of two; 0: no table yet */
	size_t count;
};

/** Returns the node that was made from `from`, or NULL. */
struct node *node_memo_find(const struct node_memo *memo, const struct node *from);

/** Adds that `to` was made from `from`, which must not be in the table. Returns 0 or -ENOMEM. */
int node_memo_add(struct node_memo *memo, const struct node *from, struct node *to);

void node_memo_fini(struct node_memo *memo);
