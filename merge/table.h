/* A table from texts to pointers. Its memory is in an arena. */
#pragma once

#include "arena.h"

struct table_slot {
	struct span key; /* `data` NULL: the slot is free */
	uint32_t hash;
	void *value;
};

/* All zero is an empty table. */
struct table {
	struct table_slot *slots; /* their number is a power of two; at most half are used */
	uint32_t size;
	uint32_t count;
};

/** Returns the value of the key, or NULL. */
void *table_get(const struct table *table, struct span key);

/**
 * Returns the place of the key's value, valid until the next key is added. If the key is new, it is
 * added, and the value is NULL. The table borrows the key's bytes. Returns NULL without memory.
 */
void **table_place(struct table *table, struct arena *arena, struct span key);

/**
 * Adds `value`, unless the key is in the table already. The table borrows the key's bytes. Returns
 * 0 (also if the key is there) or -ENOMEM.
 */
int table_put(struct table *table, struct arena *arena, struct span key, void *value);

/** Removes all entries. A small table keeps its memory. */
void table_clear(struct table *table);

/** As table_get() and table_put(), with an address as the key. */
void *table_get_address(const struct table *table, const void *address);
int table_put_address(
	struct table *table, struct arena *arena, const void *address, const void *value);
