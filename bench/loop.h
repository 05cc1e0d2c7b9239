/* Functions for benchmarks that measure one operation many times. */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "span.h"

/** Reads the file's bytes into *ret, for free(3). Returns 0 or -errno. */
static inline int read_file(const char *path, struct span *ret)
{
	FILE *stream = fopen(path, "r");
	char *text = NULL;
	size_t size = 0, len;
	char buffer[65536];

	if (!stream)
		return -errno;
	FILE *copy = open_memstream(&text, &size);
	if (!copy) {
		fclose(stream);
		return -ENOMEM;
	}
	while ((len = fread(buffer, 1, sizeof(buffer), stream)) > 0)
		fwrite(buffer, 1, len, copy);
	fclose(stream);
	fclose(copy);
	*ret = (struct span){text, size};
	return 0;
}

/** Returns the monotonic time, in nanoseconds. */
static inline uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/** Compares two times (uint64_t), for qsort(3). */
static inline int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}
