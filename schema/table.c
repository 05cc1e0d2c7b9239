#include "table.h"

#include <errno.h>

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

int table_put(struct table *table, struct arena *arena, struct span key, void *value)
{
	uint32_t hash = key_hash(key);
	int r = table->count < table->size / 2 ? 0 : grow(table, arena);

	if (r < 0)
		return r;
	struct table_slot *slot = find_slot(table, key, hash);
	if (slot->key.data)
		return 0;
	*slot = (struct table_slot){key, hash, value};
	table->count++;
	return 0;
}
