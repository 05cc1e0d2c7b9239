/*
 * An arena: one allocation region, freed at once.
 *
 * Everything that belongs to one document, or to one merge, lies in one arena: there are no free
 * paths inside the merge core. Memory is never moved, so a pointer into an arena stays good until
 * arena_free(). Under AddressSanitizer the unused part of a block is poisoned.
 *
 * An arena is not locked: one thread fills it; once filled it may be read by many.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "span.h"

struct arena;
struct budget;

/**
 * Makes an empty arena. Returns 0, or -ENOMEM. The caller frees *ret with arena_free().
 */
int arena_new(struct arena **ret);

/** The same, with the budget of `other`. */
int arena_new_like(const struct arena *other, struct arena **ret);

/**
 * From now on memory is given only as long as there is some of the budget left. It is borrowed
 * until another takes its place; NULL: no such end.
 */
void arena_limit(struct arena *arena, struct budget *budget);

/** The budget that it has, or NULL. */
struct budget *arena_budget(const struct arena *arena);

/** Frees the arena and all that was allocated in it. NULL is fine. */
void arena_free(struct arena *arena);

/** For CLEANUP(). */
void arena_freep(struct arena **arena);

/**
 * `size` bytes, aligned for pointers, integers and doubles, not initialised. NULL when there is no
 * memory.
 */
void *arena_alloc(struct arena *arena, size_t size);

/** As arena_alloc(), filled with zero bytes; NULL also when count * size overflows. */
void *arena_zalloc(struct arena *arena, size_t count, size_t size);

/**
 * A larger array with the `count` entries of `size` bytes of `array`, which is left to the arena;
 * *capacity becomes what it has room for. NULL when there is no memory, or at 2^30 entries.
 */
void *arena_grow(
	struct arena *arena, const void *array, uint32_t count, uint32_t *capacity, size_t size);

/** A copy of `text` with a NUL byte behind it. NULL when there is no memory. */
char *arena_copy(struct arena *arena, struct span text);

/** printf(3) into the arena; NUL-terminated. NULL when there is no memory. */
__attribute__((format(printf, 2, 3))) char *arena_printf(
	struct arena *arena, const char *format, ...);

/**
 * Takes over `data`, `size` bytes from malloc(3), to be freed with the arena. Returns 0 or -ENOMEM,
 * which leaves it with the caller.
 */
int arena_adopt(struct arena *arena, void *data, size_t size);

/** Bytes that the arena holds from malloc(3), its own book-keeping and malloc(3)'s included. */
size_t arena_bytes(const struct arena *arena);
