/*
 * A table: from a text to a pointer. It lies in an arena, and nothing is ever taken out of it.
 */
#pragma once

#include "arena.h"

struct table_slot {
	struct span key; /* `data` NULL: free */
	uint32_t hash;
	void *value;
};

/* All zero is an empty one. */
struct table {
	struct table_slot *slots; /* a power of two of them, at most half of them used */
	uint32_t size;
	uint32_t count;
};

/** The value, or NULL. */
void *table_get(const struct table *table, struct span key);

/** Puts `value` unless the key, which must live as long as the arena, is there. 0 or -ENOMEM. */
int table_put(struct table *table, struct arena *arena, struct span key, void *value);
