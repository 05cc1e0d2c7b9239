/*
 * Allocations that fail: malloc(3) and its kin, as this program and all of its libraries call them,
 * libc's own fopen(3) and asprintf(3) included. Linked into a program, or preloaded into one
 * (LD_PRELOAD), which then shares the file that FAILING names with whoever steers it.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

struct failing {
	_Atomic int64_t left;   /* allocations that succeed before some fail */
	_Atomic int64_t count;  /* how many fail then; 0: none ever does */
	_Atomic int64_t failed; /* so many did */
	_Atomic int64_t held;   /* allocations that were not freed yet */
};

/** The one of this program. */
extern struct failing *failing;

/** From now on `count` allocations fail, once `left` have succeeded. */
static inline void failing_start(int64_t left, int64_t count)
{
	failing->left = left;
	failing->failed = 0;
	failing->count = count;
}

/** None fails any more. Returns how many did. */
static inline int64_t failing_stop(void)
{
	failing->count = 0;
	return failing->failed;
}
