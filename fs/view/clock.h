/*
 * The clock that waits are measured with, and the one of files.
 */
#pragma once

#include <stdint.h>
#include <time.h>

/** CLOCK_MONOTONIC, in milliseconds. */
static inline int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/** Milliseconds since a time of a file; negative: it is yet to come. */
static inline int64_t clock_age_ms(struct timespec then)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)(now.tv_sec - then.tv_sec) * 1000 + (now.tv_nsec - then.tv_nsec) / 1000000;
}
