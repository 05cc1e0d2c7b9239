/*
 * Blocks that grow from 512 bytes to 2 MiB, filled from the front:
 *
 *      arena ── block ◀── block ◀── block (the newest, being filled)
 *                                   ├ header ┤ used … ┤ free … ┤
 *                                                     next     end
 *
 * An allocation that is too large to share a block gets a block of its own. The block being filled
 * stays the same.
 */
#include "arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "budget.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS 1
#endif

#ifdef ARENA_POISONS
#include <sanitizer/asan_interface.h>
#define ARENA_POISON(ptr, len) ASAN_POISON_MEMORY_REGION(ptr, len)
#define ARENA_UNPOISON(ptr, len) ASAN_UNPOISON_MEMORY_REGION(ptr, len)
/* Poisoned bytes after each allocation, so that AddressSanitizer sees an access beyond its end. */
#define ARENA_GAP 16
#else
#define ARENA_POISON(ptr, len) ((void)0)
#define ARENA_UNPOISON(ptr, len) ((void)0)
#define ARENA_GAP 0
#endif

/*
 * Alignment of allocations, in bytes. Fits pointers, integers and doubles. The alignment of long
 * double would waste twice as much at the end of each text.
 */
#define ARENA_ALIGN 8

/* Bytes of the first block: ten thousand small files stay in memory, each in an arena. */
#define ARENA_BLOCK_MIN 512u

/*
 * Bytes of the largest shared block: one huge page. With small pages, which the kernel hands out
 * one by one, a large arena would take twice as long to fill.
 */
#define ARENA_BLOCK_MAX (2u << 20)

/* Bytes. A larger allocation gets a block of its own. */
#ifndef ARENA_SHARE_MAX
#define ARENA_SHARE_MAX (ARENA_BLOCK_MAX / 4)
#endif

/* Bytes of the smallest block for which the budget is checked: the check costs a system call. */
#define ARENA_BLOCK_TIMED (32u << 10)

/* Bytes that malloc(3) itself needs for each block, about. */
#define ARENA_BLOCK_COST 16

/* Maximum of the entries of a growing array: their number has 32 bits, and the capacity doubles. */
#define ARENA_ENTRIES_MAX (UINT32_C(1) << 30)

struct block {
	struct block *older;
	void *adopted; /* memory that was not allocated here, or NULL */
};

struct arena {
	struct block *blocks;
	char *next; /* free space in the block being filled */
	char *end;
	size_t block_size; /* of the next block */
	size_t bytes;
	struct budget *budget; /* or NULL */
};

_Static_assert(sizeof(struct block) % ARENA_ALIGN == 0, "allocations must be aligned");

int arena_new(struct arena **ret)
{
	struct arena *arena = malloc(sizeof(*arena));

	if (!arena)
		return -ENOMEM;
	*arena = (struct arena){
		.block_size = ARENA_BLOCK_MIN, .bytes = sizeof(*arena) + ARENA_BLOCK_COST};
	*ret = arena;
	return 0;
}

int arena_new_like(const struct arena *other, struct arena **ret)
{
	int r = arena_new(ret);

	if (r == 0)
		(*ret)->budget = other->budget;
	return r;
}

void arena_limit(struct arena *arena, struct budget *budget)
{
	arena->budget = budget;
}

struct budget *arena_budget(const struct arena *arena)
{
	return arena->budget;
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	for (struct block *block = arena->blocks; block;) {
		struct block *older = block->older;

		free(block->adopted);
		free(block);
		block = older;
	}
	free(arena);
}

void arena_freep(struct arena **arena)
{
	arena_free(*arena);
}

/* Allocates `size` bytes; in huge pages if it is a multiple of their size. */
static void *alloc_pages(size_t size)
{
	void *data;

	if (size % ARENA_BLOCK_MAX)
		return malloc(size);
	data = aligned_alloc(ARENA_BLOCK_MAX, size);
	/* Only a hint: without huge pages, small ones do. */
	if (data)
		(void)madvise(data, size, MADV_HUGEPAGE);
	return data;
}

/* Adds a block with `size` bytes after its header. Returns the bytes. */
static char *add_block(struct arena *arena, size_t size)
{
	struct block *block;

	if (size >= ARENA_BLOCK_TIMED - sizeof(*block) && budget_is_spent(arena->budget))
		return NULL;
	block = alloc_pages(sizeof(*block) + size);
	if (!block)
		return NULL;
	*block = (struct block){.older = arena->blocks};
	arena->blocks = block;
	arena->bytes += ARENA_BLOCK_COST + sizeof(*block) + size;
	ARENA_POISON(block + 1, size);
	return (char *)(block + 1);
}

static char *alloc_from_new_block(struct arena *arena, size_t need)
{
	size_t size;
	char *data;

	if (need > ARENA_SHARE_MAX)
		return add_block(arena, need);

	while (arena->block_size - sizeof(struct block) < need)
		arena->block_size *= 2;
	size = arena->block_size - sizeof(struct block);
	data = add_block(arena, size);
	if (!data)
		return NULL;
	if (arena->block_size < ARENA_BLOCK_MAX)
		arena->block_size *= 2;
	arena->next = data + need;
	arena->end = data + size;
	return data;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t need;
	char *data;

	if (size > SIZE_MAX / 2)
		return NULL;
	/* Never 0: two allocations must have different addresses. */
	need = (size + ARENA_GAP + (size == 0) + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);

	if (need <= (size_t)(arena->end - arena->next)) {
		data = arena->next;
		arena->next += need;
	} else {
		data = alloc_from_new_block(arena, need);
		if (!data)
			return NULL;
	}
	ARENA_UNPOISON(data, size);
	return data;
}

void *arena_zalloc(struct arena *arena, size_t count, size_t size)
{
	void *data;

	if (size && count > SIZE_MAX / size)
		return NULL;
	data = arena_alloc(arena, count * size);
	return data ? memset(data, 0, count * size) : NULL;
}

int arena_grow_full(struct arena *arena, void *array, uint32_t *capacity, size_t size)
{
	uint32_t larger = *capacity < 4 ? 4 : *capacity * 2;
	void **place = array;
	void *copy = *capacity < ARENA_ENTRIES_MAX ? arena_alloc(arena, larger * size) : NULL;

	if (!copy)
		return -ENOMEM;
	if (*capacity)
		memcpy(copy, *place, *capacity * size);
	*place = copy;
	*capacity = larger;
	return 0;
}

char *arena_copy(struct arena *arena, struct span text)
{
	char *copy;

	if (text.len == SIZE_MAX)
		return NULL;
	copy = arena_alloc(arena, text.len + 1);
	if (!copy)
		return NULL;
	if (text.len)
		memcpy(copy, text.data, text.len);
	copy[text.len] = '\0';
	return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list arguments;
	int length;
	char *text;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		return NULL;

	text = arena_alloc(arena, (size_t)length + 1);
	if (!text)
		return NULL;
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	return text;
}

int arena_adopt(struct arena *arena, void *data, size_t size)
{
	if (!add_block(arena, 0))
		return -ENOMEM;
	arena->blocks->adopted = data;
	arena->bytes += ARENA_BLOCK_COST + size;
	return 0;
}

size_t arena_bytes(const struct arena *arena)
{
	return arena->bytes;
}
