#include "bytes.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes. Regions begin at multiples of their size. */
#define REGION ((size_t)256 << 10)

/* Bytes of the smallest block, which is large enough for `struct bytes_block`. */
#define BLOCK_LEAST ((size_t)32)

/* From BLOCK_LEAST to REGION. */
#define SIZES 14

/* In block.size, which is a power of two or a multiple of a page. */
#define IS_FREE ((size_t)1)
#define IS_MAPPING ((size_t)2)

/* A block; the bytes begin behind `size`. */
struct bytes_block {
	size_t size; /* in bytes, with `size` itself; and IS_FREE or IS_MAPPING */

	/* A free block, in the list of its size. */
	struct bytes_block *next;
	struct bytes_block *previous;
};

#define HEAD offsetof(struct bytes_block, next)

_Static_assert(BLOCK_LEAST << (SIZES - 1) == REGION, "a list for each size");
_Static_assert(sizeof(struct bytes_block) <= BLOCK_LEAST, "a free block has a place in its list");

/* Only this thread touches the regions and their blocks. All bytes of others are mappings. */
static pthread_t owner;
static struct bytes_block *lists[SIZES];

/* In a process that was forked: the blocks are not mapped. */
static void forget(void)
{
	owner = pthread_self();
	memset(lists, 0, sizeof(lists));
}

static bool forgets; /* forget() is called after a fork */

static void __attribute__((constructor)) begin(void)
{
	owner = pthread_self();
	forgets = pthread_atfork(NULL, NULL, forget) == 0;
}

static bool is_owner(void)
{
	return pthread_equal(pthread_self(), owner);
}

int bytes_hide(struct span map)
{
	return madvise((char *)(uintptr_t)map.data, map.len, MADV_DONTFORK) < 0 ? -ENOMEM : 0;
}

/* Makes a mapping, which begins at a multiple of REGION or of a page. NULL: no memory. */
static void *map(size_t size, bool is_region)
{
	size_t length = is_region ? 2 * REGION : size;
	char *whole =
		mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *start = whole;

	if (whole == MAP_FAILED)
		return NULL;
	if (is_region) {
		size_t before = -(uintptr_t)whole % REGION;
		start += before;
		if (before)
			munmap(whole, before);
		munmap(start + size, length - size - before);
	}
	if (bytes_hide((struct span){start, size}) == 0)
		return start;
	munmap(start, size);
	return NULL;
}

static size_t size_of(const struct bytes_block *block)
{
	return block->size & ~(IS_FREE | IS_MAPPING);
}

static struct bytes_block **list_of(size_t size)
{
	return &lists[__builtin_ctzl(size / BLOCK_LEAST)];
}

static void add_free(struct bytes_block *block, size_t size)
{
	struct bytes_block **list = list_of(size);

	*block = (struct bytes_block){size | IS_FREE, *list, NULL};
	if (*list)
		(*list)->previous = block;
	*list = block;
}

static void remove_free(struct bytes_block *block)
{
	*(block->previous ? &block->previous->next : list_of(size_of(block))) = block->next;
	if (block->next)
		block->next->previous = block->previous;
}

static bool add_region(void)
{
	void *region = map(REGION, true);
	if (region)
		add_free(region, REGION);
	return region;
}

/* Takes a free block of `size`, or the front of the smallest larger one. NULL: no memory. */
static struct bytes_block *take(size_t size)
{
	size_t found = size;

	while (found <= REGION && !*list_of(found))
		found *= 2;
	if (found > REGION && !add_region())
		return NULL;
	if (found > REGION)
		found = REGION;
	struct bytes_block *block = *list_of(found);
	remove_free(block);
	while (found > size) {
		found /= 2;
		add_free((struct bytes_block *)((char *)block + found), found);
	}
	block->size = size;
	return block;
}

static struct bytes_block *block_of(char *bytes)
{
	return (struct bytes_block *)(bytes - HEAD);
}

char *bytes_new(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t needed = BLOCK_LEAST;
	struct bytes_block *block;

	if (!forgets || size > SIZE_MAX / 2)
		return NULL;
	if (size + HEAD <= REGION / 2 && is_owner()) {
		while (needed < size + HEAD)
			needed *= 2;
		block = take(needed);
	} else {
		needed = (size + HEAD + page - 1) / page * page;
		block = map(needed, false);
		if (block)
			block->size = needed | IS_MAPPING;
	}
	return block ? (char *)block + HEAD : NULL;
}

char *bytes_dup(struct span text)
{
	char *bytes = bytes_new(text.len + 1);

	if (!bytes)
		return NULL;
	if (text.len)
		memcpy(bytes, text.data, text.len);
	bytes[text.len] = '\0';
	return bytes;
}

char *bytes_resize(char *bytes, size_t size)
{
	size_t room = bytes ? size_of(block_of(bytes)) - HEAD : 0;

	if (bytes && size <= room)
		return bytes;
	char *moved = bytes_new(size);
	if (moved && bytes)
		memcpy(moved, bytes, room);
	if (moved)
		bytes_free(bytes);
	return moved;
}

/* Frees a block of a region, together with its other half, if that is free, too, and so on. */
static void give(char *block, size_t size)
{
	char *region = block - (uintptr_t)block % REGION;

	while (size < REGION) {
		struct bytes_block *other =
			(struct bytes_block *)(region + ((size_t)(block - region) ^ size));

		if (other->size != (size | IS_FREE))
			break;
		remove_free(other);
		if ((char *)other < block)
			block = (char *)other;
		size *= 2;
	}
	/* One empty region stays. munmap(2) fails if it would make too many mappings. */
	if (size < REGION || !*list_of(REGION) || munmap(block, REGION) < 0)
		add_free((struct bytes_block *)block, size);
}

void bytes_free(char *bytes)
{
	if (!bytes)
		return;
	struct bytes_block *block = block_of(bytes);
	if (block->size & IS_MAPPING) {
		munmap(block, size_of(block));
		return;
	}
	assert(is_owner());
	give((char *)block, block->size);
}

void bytes_freep(char **bytes)
{
	bytes_free(*bytes);
}

void bytes_trim(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	assert(is_owner());
	for (size_t size = 2 * page; size <= REGION; size *= 2)
		for (struct bytes_block *block = *list_of(size); block; block = block->next)
			(void)madvise((char *)block + page, size - page, MADV_DONTNEED);
}
