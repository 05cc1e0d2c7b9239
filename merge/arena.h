/*
 * An arena: allocations that are all freed together. A pointer into an arena stays valid until
 * arena_free(). Only one thread may fill an arena. Many threads may read a filled arena.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "span.h"

struct arena;
struct budget;

/** Makes an empty arena. Returns 0, or -ENOMEM. The caller frees *ret with arena_free(). */
int arena_new(struct arena **ret);

/** Makes an empty arena that borrows the budget of `other`. Returns as arena_new(). */
int arena_new_like(const struct arena *other, struct arena **ret);

/**
 * Sets the budget of the arena (budget.h); NULL: none. The arena borrows `budget` until another
 * budget is set, or the arena is freed.
 */
void arena_limit(struct arena *arena, struct budget *budget);

/** Returns the arena's budget, or NULL if it has none. */
struct budget *arena_budget(const struct arena *arena);

/** Frees the arena and everything allocated in it. NULL is allowed. */
void arena_free(struct arena *arena);
void arena_freep(struct arena **arena);

/**
 * Returns `size` bytes, aligned for pointers, integers and doubles, and not initialised. Returns
 * NULL when there is no memory. In this header, a spent budget counts as no memory.
 */
void *arena_alloc(struct arena *arena, size_t size);

/** As arena_alloc(), for count * size bytes, all 0. Returns NULL also if the product overflows. */
void *arena_zalloc(struct arena *arena, size_t count, size_t size);

/*
 * Makes room for array[count], one more entry of an array in `arena`. `count` and the uint32_t
 * `capacity` are zero at first. A full array moves, and its old memory stays in the arena. Returns
 * 0; or -ENOMEM, with nothing changed, if there is no memory, or the array has 2^30 entries.
 */
#define arena_grow(arena, array, count, capacity)                                                  \
	((count) < (capacity) ? 0 : arena_grow_full(arena, &(array), &(capacity), sizeof(*(array))))

/* Adds an entry at the end. Returns as arena_grow(). */
#define arena_push(arena, array, count, capacity, ...)                                             \
	(arena_grow(arena, array, count, capacity) < 0 ? -ENOMEM                                   \
						       : ((array)[(count)++] = __VA_ARGS__, 0))

/* private: the part of arena_grow() for a full array */
int arena_grow_full(struct arena *arena, void *array, uint32_t *capacity, size_t size);

/** Returns a copy of `text`, NUL-terminated. Returns NULL when there is no memory. */
char *arena_copy(struct arena *arena, struct span text);

/** Does printf(3) into the arena. Returns NUL-terminated text, or NULL when there is no memory. */
__attribute__((format(printf, 2, 3))) char *arena_printf(
	struct arena *arena, const char *format, ...);

/**
 * Takes over `data`, `size` bytes from malloc(3): arena_free() frees them. Returns 0 or -ENOMEM.
 * After -ENOMEM the caller still owns `data`.
 */
int arena_adopt(struct arena *arena, void *data, size_t size);

/** Returns the bytes that the arena occupies, by an estimate. */
size_t arena_bytes(const struct arena *arena);
