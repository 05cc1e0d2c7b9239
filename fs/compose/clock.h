/* The clocks: CLOCK_MONOTONIC for waits, CLOCK_REALTIME for the times of files. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "version.h"

/** Returns CLOCK_MONOTONIC in milliseconds. */
static inline int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/** Returns the CLOCK_MONOTONIC time `delay_us` from now. */
static inline struct timespec clock_in_us(unsigned delay_us)
{
	struct timespec due;

	clock_gettime(CLOCK_MONOTONIC, &due);
	due.tv_sec += delay_us / 1000000;
	due.tv_nsec += delay_us % 1000000 * 1000L;
	if (due.tv_nsec >= 1000000000) {
		due.tv_sec++;
		due.tv_nsec -= 1000000000;
	}
	return due;
}

/** Returns the milliseconds since the time of a file; negative: the time is in the future. */
static inline int64_t clock_age_ms(struct timespec then)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)(now.tv_sec - then.tv_sec) * 1000 + (now.tv_nsec - then.tv_nsec) / 1000000;
}

/**
 * Returns the later of `time` and `before` + 1 ms. So the result is later than `before` even if
 * both are cut to whole milliseconds.
 */
static inline struct timespec clock_clearly_after(struct timespec time, struct timespec before)
{
	before.tv_nsec += 1000000;
	if (before.tv_nsec >= 1000000000) {
		before.tv_sec++;
		before.tv_nsec -= 1000000000;
	}
	return time_is_later(before, time) ? before : time;
}

/** Returns the later of the present (CLOCK_REALTIME) and `before` + 1 ms. */
static inline struct timespec clock_after(struct timespec before)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return clock_clearly_after(now, before);
}
