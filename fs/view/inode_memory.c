#include "inode_memory.h"

#include <stdlib.h>

#define SIZE_FIRST 256

/* The place of a path, or the free one where it would be. */
static struct inode_memory_item *place_of(const struct inode_memory *past, uint64_t path)
{
	size_t at = (size_t)(path ^ path >> 32) & (past->size - 1);

	while (past->items[at].path && past->items[at].path != path)
		at = (at + 1) & (past->size - 1);
	return &past->items[at];
}

static void grow(struct inode_memory *past)
{
	struct inode_memory larger = {.size = past->size ? past->size * 2 : SIZE_FIRST};

	if (past->count >= INODE_MEMORY_MAX) {
		inode_memory_fini(past);
		larger.size = SIZE_FIRST;
	}
	larger.items = calloc(larger.size, sizeof(*larger.items));
	if (!larger.items)
		return;
	for (size_t i = 0; i < past->size; i++)
		if (past->items[i].path)
			*place_of(&larger, past->items[i].path) = past->items[i];
	larger.count = past->count;
	free(past->items);
	*past = larger;
}

void inode_memory_note(struct inode_memory *past, const struct inode_memory_item *item)
{
	if (past->count * 2 >= past->size)
		grow(past);
	/* One place must stay free, or a search would not end. */
	if (past->count + 1 >= past->size)
		return;
	struct inode_memory_item *place = place_of(past, item->path);
	past->count += !place->path;
	*place = *item;
}

const struct inode_memory_item *inode_memory_find(const struct inode_memory *past, uint64_t path)
{
	if (!past->size)
		return NULL;
	const struct inode_memory_item *item = place_of(past, path);
	return item->path ? item : NULL;
}

void inode_memory_fini(struct inode_memory *past)
{
	free(past->items);
	*past = (struct inode_memory){0};
}
