/* The promises of an arena: aligned memory that stays where it is, and no overflow. */
#include "arena.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "cleanup.h"
#include "test.h"

static struct arena *new_arena(void)
{
	struct arena *arena = NULL;

	assert_int_equal(arena_new(&arena), 0);
	return arena;
}

TEST(memory_is_aligned_and_does_not_overlap)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	unsigned char *data[2000];

	for (size_t i = 0; i < 2000; i++) {
		data[i] = arena_alloc(arena, i % 97);
		assert_non_null(data[i]);
		assert_int_equal((uintptr_t)data[i] % _Alignof(double), 0);
		memset(data[i], (int)(i % 251), i % 97);
	}
	for (size_t i = 0; i < 2000; i++)
		for (size_t j = 0; j < i % 97; j++)
			assert_int_equal(data[i][j], i % 251);
}

TEST(two_empty_allocations_have_two_addresses)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();

	assert_ptr_not_equal(arena_alloc(arena, 0), arena_alloc(arena, 0));
}

TEST(what_is_larger_than_a_block_is_allocated)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	char *small = arena_copy(arena, span_of("small")), *large;

	large = arena_alloc(arena, 5u << 20);
	assert_non_null(large);
	memset(large, 'x', 5u << 20);
	assert_true(arena_bytes(arena) < (5u << 20) + 10000);
	assert_string_equal(small, "small");
	assert_non_null(arena_alloc(arena, 1));
}

TEST(the_space_left_in_a_block_is_used_after_a_large_allocation)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	size_t bytes;

	arena_alloc(arena, 1);
	arena_alloc(arena, 5u << 20);
	bytes = arena_bytes(arena);
	arena_alloc(arena, 1);
	assert_int_equal(arena_bytes(arena), bytes);
}

TEST(sizes_that_overflow_are_refused)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();

	assert_null(arena_alloc(arena, SIZE_MAX));
	assert_null(arena_alloc(arena, SIZE_MAX - 15));
	assert_null(arena_zalloc(arena, SIZE_MAX / 2, 4));
	assert_null(arena_copy(arena, (struct span){"", SIZE_MAX}));
	assert_non_null(arena_zalloc(arena, 0, SIZE_MAX));
}

TEST(zalloc_gives_zeros)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	const unsigned char *data = arena_zalloc(arena, 100, 7);

	for (size_t i = 0; i < 700; i++)
		assert_int_equal(data[i], 0);
}

TEST(a_copy_keeps_nul_bytes_and_ends_with_one)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	const char *copy = arena_copy(arena, (struct span){"a\0b", 3});

	assert_memory_equal(copy, "a\0b", 4);
	assert_string_equal(arena_copy(arena, (struct span){NULL, 0}), "");
}

TEST(printf_takes_any_length)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	char *text = arena_printf(arena, "%05d %0*d", 7, 9000, 1);

	assert_int_equal(strlen(text), 9006);
	assert_memory_equal(text, "00007 000", 9);
}

TEST(adopted_memory_is_counted_and_freed)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	size_t bytes = arena_bytes(arena);
	char *data = malloc(1000);

	assert_non_null(data);
	assert_int_equal(arena_adopt(arena, data, 1000), 0);
	assert_true(arena_bytes(arena) >= bytes + 1000);
}
