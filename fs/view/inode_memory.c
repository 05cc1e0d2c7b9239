#include "inode_memory.h"

#include <stdlib.h>

#define SIZE_FIRST 256

/* Returns the slot of a path, or the free one that it would take. */
static struct inode_memory_item *place_of(const struct inode_memory *memory, uint64_t path)
{
	size_t at = (size_t)(path ^ path >> 32) & (memory->size - 1);

	while (memory->items[at].path && memory->items[at].path != path)
		at = (at + 1) & (memory->size - 1);
	return &memory->items[at];
}

static void grow(struct inode_memory *memory)
{
	struct inode_memory larger = {.size = memory->size ? memory->size * 2 : SIZE_FIRST};

	if (memory->count >= INODE_MEMORY_MAX) {
		inode_memory_fini(memory);
		larger.size = SIZE_FIRST;
	}
	larger.items = calloc(larger.size, sizeof(*larger.items));
	if (!larger.items)
		return;
	for (size_t i = 0; i < memory->size; i++)
		if (memory->items[i].path)
			*place_of(&larger, memory->items[i].path) = memory->items[i];
	larger.count = memory->count;
	free(memory->items);
	*memory = larger;
}

void inode_memory_note(struct inode_memory *memory, const struct inode_memory_item *item)
{
	if (memory->count * 2 >= memory->size)
		grow(memory);
	/* One slot must stay free, or a search would not end. */
	if (memory->count + 1 >= memory->size)
		return;
	struct inode_memory_item *place = place_of(memory, item->path);
	memory->count += !place->path;
	*place = *item;
}

const struct inode_memory_item *inode_memory_find(const struct inode_memory *memory, uint64_t path)
{
	if (!memory->size)
		return NULL;
	const struct inode_memory_item *item = place_of(memory, path);
	return item->path ? item : NULL;
}

void inode_memory_fini(struct inode_memory *memory)
{
	free(memory->items);
	*memory = (struct inode_memory){0};
}
