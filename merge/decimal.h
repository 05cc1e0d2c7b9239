/*
 * A decimal: the exact value of a written number, as a whole number times a power of ten.
 *
 * JSON Schema compares numbers by value: 1, 1.0 and 10e-1 are equal; 0.3 is a multiple of 0.1.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "node.h"
#include "number.h"

/* Maximum digits of the factor in decimal_is_multiple(). Ten times the factor must fit 64 bits. */
#define DECIMAL_FACTOR_DIGITS 18

enum decimal_form {
	DECIMAL_FINITE,
	DECIMAL_INFINITE, /* .inf; or a number in another base than ten, too long to be converted */
	DECIMAL_NAN,
};

struct decimal {
	enum decimal_form form;
	/* from the first digit other than 0 to the last such digit; may contain "." and "_" */
	struct span digits;
	size_t count;     /* number of digits; 0: the number is 0 */
	int64_t exponent; /* of the power of ten; not exact if it is above 10^17 or below -10^17 */

	/* private: memory that `digits` may point to */
	char room[32];
	struct number number; /* is_negative is set in every decimal; the rest is private */
};

/* Result of decimal_compare() if one of the two is NaN. */
#define DECIMAL_UNORDERED 2

/** Converts a scalar of type int or float. *ret borrows the scalar's text. Do not copy *ret. */
void decimal_of(const struct node *scalar, struct decimal *ret);

/** Returns -1, 0 or 1 as `a` is less than, equal to or greater than `b`; or DECIMAL_UNORDERED. */
int decimal_compare(const struct decimal *a, const struct decimal *b);

/** Returns whether the number is whole. Infinity and NaN are not. */
bool decimal_is_whole(const struct decimal *decimal);

/**
 * Returns whether `decimal` is a whole multiple of `factor`. `factor` must be finite and above 0,
 * and have at most DECIMAL_FACTOR_DIGITS digits.
 */
bool decimal_is_multiple(const struct decimal *decimal, const struct decimal *factor);

/** Continues `hash` with the number. Returns the new hash. Equal numbers give equal results. */
uint64_t decimal_hash(const struct decimal *decimal, uint64_t hash);

/**
 * If the number is whole and not negative, returns true with the number in *ret. A number above
 * UINT32_MAX becomes UINT32_MAX.
 */
bool decimal_count(const struct decimal *decimal, uint32_t *ret);
