/*
 * Allocations that fail: the linker sends malloc(3) and its kin here (--wrap), those of the core
 * and of the test, not libyaml's own. With allocations_left at N, N succeed and all others fail.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *data, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *data, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static int allocations_left = INT_MAX;

static bool is_failing(void)
{
	return allocations_left-- <= 0;
}

void *__wrap_malloc(size_t size)
{
	return is_failing() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_failing() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *data, size_t size)
{
	return is_failing() ? NULL : __real_realloc(data, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return is_failing() ? NULL : __real_aligned_alloc(alignment, size);
}
