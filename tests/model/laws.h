/* Laws that hold in every round, which is made from a seed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct round; /* each model has its own */

typedef bool law_fn(struct round *round);

struct law {
	const char *name;
	law_fn *holds;
};

#define LAW(name)                                                                                  \
	{                                                                                          \
#name, name                                                                        \
	}

/* Whether the law holds in the round of the seed, which is of one of the model's kinds. */
typedef bool laws_round_fn(law_fn *holds, uint64_t seed, unsigned kind);

/*
 * Prints TAP: each law with each kind of round. `laws` and `kinds` end with NULL; what stands in
 * `kinds` follows the law's name. Returns the exit status.
 */
static inline int laws_test(
	const struct law *laws, const char *const *kinds, uint64_t rounds, laws_round_fn *holds_in)
{
	unsigned number = 0;
	int failed = 0;

	for (; laws->name; laws++)
		for (unsigned kind = 0; kinds[kind]; kind++) {
			uint64_t seed = 1;

			while (seed <= rounds && holds_in(laws->holds, seed, kind))
				seed++;
			if (seed <= rounds)
				printf("# seed %llu\nnot ", (unsigned long long)seed);
			printf("ok %u - %s%s\n", ++number, laws->name, kinds[kind]);
			fflush(stdout);
			failed |= seed <= rounds;
		}
	printf("1..%u\n", number);
	return failed;
}
