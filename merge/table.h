/* A table from texts to pointers, in an arena. It borrows the keys' bytes. */
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
 * Returns the place of the key's value, valid until the next key is added. If the table lacks the
 * key, adds it with the value NULL. Returns NULL if there is no memory.
 */
void **table_place(struct table *table, struct arena *arena, struct span key);

/** Adds `value`. If the key has a value already, changes nothing. Returns 0 or -ENOMEM. */
int table_put(struct table *table, struct arena *arena, struct span key, void *value);

/** Removes all entries. */
void table_clear(struct table *table);

/** As table_get() and table_put(), but the key is an address. */
void *table_get_address(const struct table *table, const void *address);
int table_put_address(
	struct table *table, struct arena *arena, const void *address, const void *value);
