#include "node_memo.h"

#include <errno.h>
#include <stdlib.h>

void node_memo_fini(struct node_memo *memo)
{
	free(memo->from);
	free(memo->to);
}

static size_t slot_of(const struct node_memo *memo, const struct node *from)
{
	size_t mask = memo->size - 1;
	size_t slot = ((size_t)(uintptr_t)from * 0x9E3779B97F4A7C15u >> 20) & mask;

	while (memo->from[slot] && memo->from[slot] != from)
		slot = (slot + 1) & mask;
	return slot;
}

struct node *node_memo_find(const struct node_memo *memo, const struct node *from)
{
	return memo->size > 0 ? memo->to[slot_of(memo, from)] : NULL;
}

static int grow(struct node_memo *memo)
{
	struct node_memo larger = {.size = memo->size ? memo->size * 2 : 64, .count = memo->count};

	larger.from = calloc(larger.size, sizeof(*larger.from));
	larger.to = calloc(larger.size, sizeof(*larger.to));
	if (!larger.from || !larger.to) {
		node_memo_fini(&larger);
		return -ENOMEM;
	}
	for (size_t i = 0; i < memo->size; i++) {
		if (!memo->from[i])
			continue;
		size_t slot = slot_of(&larger, memo->from[i]);
		larger.from[slot] = memo->from[i];
		larger.to[slot] = memo->to[i];
	}
	node_memo_fini(memo);
	*memo = larger;
	return 0;
}

int node_memo_add(struct node_memo *memo, const struct node *from, struct node *to)
{
	if (memo->count + 1 > memo->size / 2) {
		int r = grow(memo);
		if (r != 0)
			return r;
	}
	size_t slot = slot_of(memo, from);
	memo->from[slot] = from;
	memo->to[slot] = to;
	memo->count++;
	return 0;
}
