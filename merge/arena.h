/*
 * An arena: one allocation region, freed at once.
 *
 * Everything that belongs to one document, or to one merge, lies in one arena: there are no free
 * paths inside the merge core. An arena never moves memory, so a pointer into it stays valid until
 * arena_free(). Under AddressSanitizer the unused part of a block is poisoned.
 *
 * An arena has no lock: one thread fills it. Once it is filled, many threads may read it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "span.h"

struct arena;
struct budget;

/** Makes an empty arena. Returns 0, or -ENOMEM. The caller frees *ret with arena_free(). */
int arena_new(struct arena **ret);

/** Makes an empty arena that shares the budget of `other`. Returns as arena_new(). */
int arena_new_like(const struct arena *other, struct arena **ret);

/**
 * Sets the budget of the arena; NULL: none. The arena borrows `budget` until another one is set.
 * Once the budget is spent, each allocation that needs a large block fails (budget.h).
 */
void arena_limit(struct arena *arena, struct budget *budget);

/** Returns the arena's budget, or NULL if it has none. */
struct budget *arena_budget(const struct arena *arena);

/** Frees the arena and everything allocated in it. NULL is allowed. */
void arena_free(struct arena *arena);

/** For CLEANUP(). */
void arena_freep(struct arena **arena);

/**
 * Returns `size` bytes, aligned for pointers, integers and doubles, and not initialised. Returns
 * NULL when there is no memory. Here and below, a spent budget counts as no memory.
 */
void *arena_alloc(struct arena *arena, size_t size);

/** As arena_alloc(), filled with zero bytes. Returns NULL also when count * size overflows. */
void *arena_zalloc(struct arena *arena, size_t count, size_t size);

/**
 * Copies the `count` entries of `array`, `size` bytes each, into a larger array and returns it. The
 * old array stays in the arena. *capacity becomes the number of entries that the new one has room
 * for. Returns NULL when there is no memory, or at 2^30 entries.
 */
void *arena_grow(
	struct arena *arena, const void *array, uint32_t count, uint32_t *capacity, size_t size);

/** Returns a copy of `text`, NUL-terminated. Returns NULL when there is no memory. */
char *arena_copy(struct arena *arena, struct span text);

/** Does printf(3) into the arena. Returns NUL-terminated text, or NULL when there is no memory. */
__attribute__((format(printf, 2, 3))) char *arena_printf(
	struct arena *arena, const char *format, ...);

/**
 * Takes over `data`, `size` bytes from malloc(3), to be freed with the arena. Returns 0, or
 * -ENOMEM; then the caller still owns `data`.
 */
int arena_adopt(struct arena *arena, void *data, size_t size);

/** Returns the number of bytes that the arena has from malloc(3), including all book-keeping. */
size_t arena_bytes(const struct arena *arena);
