/*
 * A bound on work that can grow faster than the input. For example, each of many small patches may
 * copy a large document. The unit of work is to read or copy one value.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Entries of a list that memmove(3) shifts in the time of one unit. */
#define WORK_SHIFT 16

struct work {
	uint64_t left; /* units */
};

/* Takes `units` from the work that is left. Returns false if less is left; the caller must stop. */
static inline bool work_spend(struct work *work, uint64_t units)
{
	if (units > work->left)
		return false;
	work->left -= units;
	return true;
}
