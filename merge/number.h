/*
 * The value of a numeric scalar: integers of any size are exact, other numbers are doubles. Equal
 * values have the same form, whatever their notation (0x10, 16, 1_6, 16.0).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "node.h"
#include "span.h"

/*
 * Greatest number of digits that are converted from another base to decimal: the time grows with
 * the square of this number. An integer with more digits, in a base other than 10, has no JSON
 * form, and equals no integer in another base.
 */
#define NUMBER_DIGITS_MAX 2048

static inline bool number_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

enum number_form {
	NUMBER_SMALL,   /* an integer, in `small` */
	NUMBER_DECIMAL, /* an integer above UINT64_MAX, in `digits`, base 10 */
	NUMBER_LARGE,   /* an integer of more than NUMBER_DIGITS_MAX `digits`, not in base 10 */
	NUMBER_REAL,    /* a fraction or infinity, in `real` */
	NUMBER_NAN,
};

struct number {
	enum number_form form;
	bool is_negative; /* never for 0 */
	unsigned base;    /* 2, 8, 10, 16; 60 with digits such as 1:30:00 */
	uint64_t small;
	double real;        /* without its sign */
	struct span digits; /* without leading zeros; may contain "_", and may lie in `room` */
	char room[NUMBER_DIGITS_MAX * 5 / 4];
};

/** Skips a sign. Returns whether it is "-". */
bool number_take_sign(struct span *text);

/** Returns the number in "e+05", limited to ±`max` (at most 2^59); 0 for an empty text. */
int64_t number_power(struct span power, int64_t max);

/** Reads `text`, a valid integer of `schema`. ret->digits may point into `text`. */
void number_of_int(struct span text, enum node_schema schema, struct number *ret);

/** Reads `text`, a valid float. ret->digits may point into `text`. */
void number_of_float(struct span text, struct number *ret);

/** Returns whether the numbers are equal. NaN equals nothing. */
bool number_equal(const struct number *a, const struct number *b);

/** Continues `hash` with the number. Equal numbers give equal results. Not for NaN. */
uint64_t number_hash(const struct number *number, uint64_t hash);

/** Returns the double nearest to the number. */
double number_double(const struct number *number);

/** Returns whether `text` is a number of RFC 8259. *is_int becomes whether it is an integer. */
bool number_is_json(struct span text, bool *is_int);

/** Writes an integer in decimal, in `arena`. Returns 0, -ENOMEM, or -ERANGE for NUMBER_LARGE. */
int number_int_json(const struct number *number, struct arena *arena, struct span *ret);

/**
 * Writes the float `text` as RFC 8259 requires, with every digit, in `arena`. Returns 0; -ENOMEM;
 * or -ERANGE for infinity, NaN, and more than NUMBER_DIGITS_MAX digits in base 60.
 */
int number_float_json(struct span text, struct arena *arena, struct span *ret);
