/*
 * The hash of keys and values: fast, and not predictable from outside, as keys may be hostile.
 *
 * hash_seed() is a random number, which a forked process shares with its parent alone. Store no
 * hash that starts with this number, and let no output depend on such a hash.
 */
#pragma once

#include <stdint.h>

#include "node.h"

extern uint64_t hash_start; /* fixed before main() */

static inline uint64_t hash_seed(void)
{
	return hash_start;
}

/* Combines both halves of the product: each bit of `a` and `b` affects each bit of the result. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
	uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), high = (a >> 32) * (b >> 32);
	uint64_t cross = (a >> 32) * (b & UINT32_MAX), other = (a & UINT32_MAX) * (b >> 32);
	uint64_t middle = (low >> 32) + (cross & UINT32_MAX) + (other & UINT32_MAX);

	high += (cross >> 32) + (other >> 32) + (middle >> 32);
	return (middle << 32 | (low & UINT32_MAX)) ^ high;
#endif
}

static inline uint64_t hash_add(uint64_t hash, uint64_t word)
{
	return hash_fold(hash ^ word, 0x5851F42D4C957F2Du);
}

static inline uint64_t hash_bytes(uint64_t hash, struct span bytes)
{
	const char *p = bytes.data;
	size_t left = bytes.len;
	uint64_t word = 0;

	for (; left >= sizeof(word); p += sizeof(word), left -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = hash_add(hash, word);
	}
	word = 0;
	if (left)
		memcpy(&word, p, left);
	/* The length makes "a" and "a\0" different. */
	hash = hash_add(hash, word);
	return hash_add(hash, bytes.len);
}

static inline uint32_t hash_end(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}
