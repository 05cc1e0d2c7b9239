/*
 * A bound on work that grows faster than the input: shifting a long list for each of many parts,
 * copying a large document for each of many small patches. Units are values looked at or copied.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Entries of a list that one memmove(3) shifts in the time that one value takes. */
#define WORK_SHIFT 16

struct work {
	uint64_t left;
};

/* False when the bound is passed; then nothing more is to be done. */
static inline bool work_spend(struct work *work, uint64_t units)
{
	if (units > work->left)
		return false;
	work->left -= units;
	return true;
}
