#include "inode.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_FIRST 1024
#define MEMORY_FIRST 256

int inode_table_init(struct inode_table *table)
{
	*table = (struct inode_table){.size = TABLE_FIRST};
	table->buckets = calloc(TABLE_FIRST, sizeof(*table->buckets));
	return table->buckets ? 0 : -ENOMEM;
}

void inode_table_fini(struct inode_table *table)
{
	free(table->buckets);
	*table = (struct inode_table){0};
}

/* A number is counted up, or is a hash of a path: its low bits spread over the buckets. */
static struct inode **bucket_of(const struct inode_table *table, uint64_t ino)
{
	return &table->buckets[ino & (table->size - 1)];
}

struct inode *inode_table_find(const struct inode_table *table, uint64_t ino)
{
	struct inode *inode = *bucket_of(table, ino);

	while (inode && inode->ino != ino)
		inode = inode->next;
	return inode;
}

static void grow(struct inode_table *table)
{
	struct inode_table larger = {.size = table->size * 2, .count = table->count};

	larger.buckets = calloc(larger.size, sizeof(*larger.buckets));
	if (!larger.buckets)
		return;
	for (size_t i = 0; i < table->size; i++)
		for (struct inode *inode = table->buckets[i], *next; inode; inode = next) {
			struct inode **bucket = bucket_of(&larger, inode->ino);
			next = inode->next;
			inode->next = *bucket;
			*bucket = inode;
		}
	free(table->buckets);
	*table = larger;
}

void inode_table_add(struct inode_table *table, struct inode *inode)
{
	assert(inode->ino != 0 && !inode_table_find(table, inode->ino));

	if (table->count >= table->size)
		grow(table);
	struct inode **bucket = bucket_of(table, inode->ino);
	inode->next = *bucket;
	*bucket = inode;
	table->count++;
}

void inode_table_remove(struct inode_table *table, struct inode *inode)
{
	struct inode **place = bucket_of(table, inode->ino);

	while (*place != inode) {
		assert(*place);
		place = &(*place)->next;
	}
	*place = inode->next;
	inode->next = NULL;
	table->count--;
}

uint64_t inode_fingerprint(const struct version *version)
{
	uint64_t hash = 14695981039346656037u ^ version->size ^ (uint64_t)version->mode << 32;
	hash = (hash ^ version->uid ^ (uint64_t)version->gid << 32) * 1099511628211u;
	size_t size = version->data ? version->size : 0;
	size_t i = 0;

	for (; i + 8 <= size; i += 8) {
		uint64_t word;
		memcpy(&word, version->data + i, sizeof(word));
		hash = (hash ^ word) * 1099511628211u;
		hash ^= hash >> 29;
	}
	for (; i < size; i++)
		hash = (hash ^ (unsigned char)version->data[i]) * 1099511628211u;
	if (version->kind == VERSION_HELD)
		hash = stamp_add(hash, &version->stamps[0]);
	return hash | 1;
}

uint64_t inode_add_place(uint64_t places, dev_t dev, ino_t ino)
{
	return ((places ^ (uint64_t)dev) * 1099511628211u ^ (uint64_t)ino) * 1099511628211u;
}

uint64_t inode_places(const struct union_lookup *found)
{
	uint64_t places = INODE_NO_PLACES;

	for (unsigned i = found->count; i-- > 0;) {
		const struct stat *stat = &found->found[i].stat;
		places = inode_add_place(places, stat->st_dev, stat->st_ino);
	}
	return places;
}

/* Returns the slot of a path, or the free one that it would take. */
static struct inode_memory_item *place_of(const struct inode_memory *memory, uint64_t path)
{
	size_t at = (size_t)(path ^ path >> 32) & (memory->size - 1);

	while (memory->items[at].path && memory->items[at].path != path)
		at = (at + 1) & (memory->size - 1);
	return &memory->items[at];
}

static void grow_memory(struct inode_memory *memory)
{
	struct inode_memory larger = {.size = memory->size ? memory->size * 2 : MEMORY_FIRST};

	if (memory->count >= INODE_MEMORY_MAX) {
		inode_memory_fini(memory);
		larger.size = MEMORY_FIRST;
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
		grow_memory(memory);
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
