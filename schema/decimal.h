/*
 * A number as it is written, exact: a whole number times a power of ten. JSON Schema compares
 * numbers as mathematics does: 1, 1.0 and 10e-1 are one, and 0.3 is a multiple of 0.1.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "node.h"
#include "number.h"

/* Significant digits of what a number may have to be a multiple of: ten times that fits 64 bits. */
#define DECIMAL_FACTOR_DIGITS 18

enum decimal_form {
	DECIMAL_FINITE,
	DECIMAL_INFINITE, /* .inf, and what is too long to be converted from another base */
	DECIMAL_NAN,
};

struct decimal {
	enum decimal_form form;
	bool is_negative;   /* never for 0 */
	struct span digits; /* "." and "_" may stand inside; neither the first nor the last is 0 */
	size_t count;       /* of the digits; 0: the number is 0 */
	int64_t exponent;   /* of ten; cut to what no other number reaches */

	/* private: where the digits may lie */
	char room[32];
	struct number number;
};

/* Result of decimal_compare() with what is no number. */
#define DECIMAL_UNORDERED 2

/** The value of a scalar of type int or float. It may point into itself: don't copy it. */
void decimal_of(const struct node *scalar, struct decimal *ret);

/** -1, 0 or 1 as `a` is less, equal or greater; or DECIMAL_UNORDERED. */
int decimal_compare(const struct decimal *a, const struct decimal *b);

bool decimal_is_whole(const struct decimal *decimal);

/** Whether `factor`, which is above 0 and has few enough digits, times a whole number is `decimal`.
 */
bool decimal_is_multiple(const struct decimal *decimal, const struct decimal *factor);

/** Equal numbers have equal hashes. */
uint64_t decimal_hash(const struct decimal *decimal, uint64_t hash);

/** The whole number, if it is one from 0 to UINT32_MAX; what is larger counts as that. Else false.
 */
bool decimal_count(const struct decimal *decimal, uint32_t *ret);
