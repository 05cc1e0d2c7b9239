/* A growing array: a pointer for free(3), a count and a capacity, all zero at first. */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static inline int array_grow_at(void *array, size_t count, size_t *capacity, size_t size)
{
	size_t larger = *capacity ? *capacity * 2 : 16;
	void **place = array;

	if (count < *capacity)
		return 0;
	void *moved = reallocarray(*place, larger, size);
	if (!moved)
		return -ENOMEM;
	*place = moved;
	*capacity = larger;
	return 0;
}

/* Makes room for array[count]. Returns 0, or -ENOMEM without a change. */
#define array_grow(array, count, capacity)                                                         \
	array_grow_at(&(array), count, &(capacity), sizeof(*(array)))

/* Appends an entry. Returns 0, or -ENOMEM without a change. */
#define array_push(array, count, capacity, ...)                                                    \
	(array_grow(array, count, capacity) < 0 ? -ENOMEM : ((array)[(count)++] = __VA_ARGS__, 0))

/* For qsort(3) of an array of char *. */
static inline int array_compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}
