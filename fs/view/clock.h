/*
 * The clock that waits are measured with.
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
