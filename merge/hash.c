#include "hash.h"

#include <sys/random.h>

uint64_t hash_start;

/*
 * Runs before main(). Early at boot the kernel has no randomness yet, and plyfs must not wait for
 * it.
 */
__attribute__((constructor)) static void choose_start(void)
{
	if (getrandom(&hash_start, sizeof(hash_start), GRND_NONBLOCK) != sizeof(hash_start))
		hash_start = (uint64_t)(uintptr_t)&hash_start * 0x9E3779B97F4A7C15u;
}
