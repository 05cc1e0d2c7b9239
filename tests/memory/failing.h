/*
 * Allocations that fail: malloc(3) and its kin, as this program and all of its libraries call them,
 * including libc's own fopen(3) and asprintf(3). It is linked into a program, or preloaded into one
 * (LD_PRELOAD). A preloaded one shares the file that FAILING names with the process that controls
 * it.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

struct failing {
	_Atomic int64_t left;   /* allocations that succeed before some fail */
	_Atomic int64_t count;  /* how many fail then; 0: none ever fails */
	_Atomic int64_t failed; /* how many have failed */
	_Atomic int64_t held;   /* allocations that are not freed yet */
};

/** The settings of this program. */
extern struct failing *failing;

/** From now on `count` allocations fail, after `left` have succeeded. */
static inline void failing_start(int64_t left, int64_t count)
{
	failing->left = left;
	failing->failed = 0;
	failing->count = count;
}

/** No allocation fails any more. Returns how many failed. */
static inline int64_t failing_stop(void)
{
	failing->count = 0;
	return failing->failed;
}
