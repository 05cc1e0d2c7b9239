/*
 * A bound on work that grows faster than the input: each of many small patches may copy a large
 * document. The unit is one value that is read or copied.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Entries of a list that memmove(3) shifts in the time of one unit. */
#define WORK_SHIFT 16

struct work {
	uint64_t left; /* units */
};

/* Counts `units`. Returns false if the bound is exceeded; the caller must stop in that case. */
static inline bool work_spend(struct work *work, uint64_t units)
{
	if (units > work->left)
		return false;
	work->left -= units;
	return true;
}
