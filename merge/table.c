#include "table.h"

#include <errno.h>
#include <string.h>

#include "hash.h"

#define TABLE_SIZE_MIN 16

static uint32_t key_hash(struct span key)
{
	return hash_end(hash_bytes(hash_seed(), key));
}

/* Returns the slot of the key, or the free slot for it. */
static struct table_slot *find_slot(const struct table *table, struct span key, uint32_t hash)
{
	for (uint32_t i = hash & (table->size - 1);; i = (i + 1) & (table->size - 1)) {
		struct table_slot *slot = &table->slots[i];

		if (!slot->key.data || (slot->hash == hash && span_equal(slot->key, key)))
			return slot;
	}
}

static int grow(struct table *table, struct arena *arena)
{
	struct table larger = {.size = table->size ? table->size * 2 : TABLE_SIZE_MIN};

	larger.slots = arena_zalloc(arena, larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->size; i++)
		if (table->slots[i].key.data)
			*find_slot(&larger, table->slots[i].key, table->slots[i].hash) =
				table->slots[i];
	larger.count = table->count;
	*table = larger;
	return 0;
}

void *table_get(const struct table *table, struct span key)
{
	return table->size ? find_slot(table, key, key_hash(key))->value : NULL;
}

void **table_place(struct table *table, struct arena *arena, struct span key)
{
	uint32_t hash = key_hash(key);

	if (table->count >= table->size / 2 && grow(table, arena) < 0)
		return NULL;
	struct table_slot *slot = find_slot(table, key, hash);
	if (!slot->key.data) {
		*slot = (struct table_slot){key, hash, NULL};
		table->count++;
	}
	return &slot->value;
}

int table_put(struct table *table, struct arena *arena, struct span key, void *value)
{
	void **place = table_place(table, arena, key);

	if (place && !*place)
		*place = value;
	return place ? 0 : -ENOMEM;
}

void table_clear(struct table *table)
{
	if (table->size > TABLE_SIZE_MIN)
		*table = (struct table){0};
	else if (table->count)
		memset(table->slots, 0, table->size * sizeof(*table->slots));
	table->count = 0;
}

void *table_get_address(const struct table *table, const void *address)
{
	return table_get(table, (struct span){(const char *)&address, sizeof(address)});
}

int table_put_address(
	struct table *table, struct arena *arena, const void *address, const void *value)
{
	struct span bytes = {(const char *)&address, sizeof(address)};
	const char *key = arena_copy(arena, bytes);

	return key ? table_put(table, arena, (struct span){key, bytes.len}, (void *)value)
		   : -ENOMEM;
}
