#include "inode.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define SIZE_FIRST 1024

int inode_table_init(struct inode_table *table)
{
	*table = (struct inode_table){.size = SIZE_FIRST};
	table->buckets = calloc(SIZE_FIRST, sizeof(*table->buckets));
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
