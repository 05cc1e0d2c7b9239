/*
 * The clock that waits are measured with, and the one of files.
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "version.h"

/** CLOCK_MONOTONIC, in milliseconds. */
static inline int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/** The time `delay_us` from now, of CLOCK_MONOTONIC. */
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

/** Milliseconds since a time of a file; negative: it is yet to come. */
static inline int64_t clock_age_ms(struct timespec then)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)(now.tv_sec - then.tv_sec) * 1000 + (now.tv_nsec - then.tv_nsec) / 1000000;
}

/**
 * `time`, if who keeps times as floating-point numbers or milliseconds sees that it is later than
 * `before`; else the first such time.
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

/** Now, or where that is not clearly later than `before`, the first time that is. */
static inline struct timespec clock_after(struct timespec before)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return clock_clearly_after(now, before);
}
