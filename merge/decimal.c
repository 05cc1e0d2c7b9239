#include "decimal.h"

#include <inttypes.h>
#include <stdio.h>

#include "hash.h"
#include "scalar.h"

/* Limit of exponents: sums of two of them, and of the length of any text, fit 64 bits. */
#define EXPONENT_MAX (INT64_C(1) << 59)

static bool is_zero(const struct decimal *decimal)
{
	return decimal->form == DECIMAL_FINITE && decimal->count == 0;
}

/* Reads decimal digits, with "_", one "." and an exponent anywhere among them. */
static void read_digits(struct span text, struct decimal *ret)
{
	const char *end = span_end(text), *first = NULL, *last = NULL, *p = text.data;
	size_t seen = 0, upto_last = 0, fraction = 0;
	bool is_fraction = false;

	for (; p < end && (*p | 0x20) != 'e'; p++) {
		is_fraction |= *p == '.';
		if (!number_is_digit(*p))
			continue;
		fraction += is_fraction;
		if (*p == '0' && !first)
			continue;
		first = first ? first : p;
		seen++;
		if (*p != '0') {
			last = p;
			upto_last = seen;
		}
	}
	ret->form = DECIMAL_FINITE;
	ret->count = upto_last;
	ret->digits = (struct span){first, last ? (size_t)(last - first) + 1 : 0};
	if (!upto_last) {
		ret->number.is_negative = false;
		ret->exponent = 0;
		return;
	}
	ret->exponent = number_power((struct span){p, (size_t)(end - p)}, EXPONENT_MAX);
	ret->exponent += (int64_t)(seen - upto_last) - (int64_t)fraction;
}

/* Reads a number in another base than ten. */
static void read_number(struct decimal *ret)
{
	const struct number *number = &ret->number;
	int len = 0;

	switch (number->form) {
	case NUMBER_SMALL:
		len = snprintf(ret->room, sizeof(ret->room), "%" PRIu64, number->small);
		read_digits((struct span){ret->room, (size_t)len}, ret);
		return;
	case NUMBER_DECIMAL:
		read_digits(number->digits, ret);
		return;
	case NUMBER_REAL:
		if (number->real <= 1.7976931348623157e308) {
			len = snprintf(ret->room, sizeof(ret->room), "%.17g", number->real);
			read_digits((struct span){ret->room, (size_t)len}, ret);
			return;
		}
		break;
	case NUMBER_LARGE:
		break;
	case NUMBER_NAN:
		ret->form = DECIMAL_NAN;
		ret->count = 0;
		return;
	}
	ret->form = DECIMAL_INFINITE;
	ret->count = 0;
}

static bool is_decimal(struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!number_is_digit(text.data[i]) && !memchr("._eE+-", text.data[i], 6))
			return false;
	return true;
}

void decimal_of(const struct node *scalar, struct decimal *ret)
{
	struct span text = scalar->text;
	bool is_json, is_int = false;

	is_json = number_is_json(text, &is_int);
	if (!is_json && scalar_type(scalar) == SCALAR_INT) {
		number_of_int(text, scalar->schema, &ret->number);
		read_number(ret);
		return;
	}
	ret->number.is_negative = number_take_sign(&text);
	if (is_json || is_decimal(text)) {
		read_digits(text, ret);
		return;
	}
	number_of_float(scalar->text, &ret->number);
	read_number(ret);
}

/* Takes the next digit; '0' after the end. */
static char next_digit(struct span *rest)
{
	for (; rest->len; rest->len--) {
		char c = *rest->data++;

		if (number_is_digit(c)) {
			rest->len--;
			return c;
		}
	}
	return '0';
}

static int compare_digits(const struct decimal *a, const struct decimal *b)
{
	struct span p = a->digits, q = b->digits;
	size_t count = a->count > b->count ? a->count : b->count;

	for (size_t i = 0; i < count; i++) {
		char x = next_digit(&p), y = next_digit(&q);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int compare_absolute(const struct decimal *a, const struct decimal *b)
{
	int64_t top_a = a->exponent + (int64_t)a->count, top_b = b->exponent + (int64_t)b->count;

	if (a->form != b->form)
		return a->form == DECIMAL_INFINITE ? 1 : -1;
	if (a->form == DECIMAL_INFINITE)
		return 0;
	if (!a->count || !b->count)
		return (a->count != 0) - (b->count != 0);
	if (top_a != top_b)
		return top_a < top_b ? -1 : 1;
	return compare_digits(a, b);
}

int decimal_compare(const struct decimal *a, const struct decimal *b)
{
	if (a->form == DECIMAL_NAN || b->form == DECIMAL_NAN)
		return DECIMAL_UNORDERED;
	if (a->number.is_negative != b->number.is_negative)
		return a->number.is_negative ? -1 : 1;
	return a->number.is_negative ? compare_absolute(b, a) : compare_absolute(a, b);
}

bool decimal_is_whole(const struct decimal *decimal)
{
	return decimal->form == DECIMAL_FINITE && (is_zero(decimal) || decimal->exponent >= 0);
}

/* Returns a * b % m, for m < 2^63. */
static uint64_t multiply_modulo(uint64_t a, uint64_t b, uint64_t m)
{
	uint64_t product = 0;

	for (a %= m; b; b >>= 1) {
		if (b & 1)
			product = (product + a) % m;
		a = (a + a) % m;
	}
	return product;
}

static uint64_t small_value(const struct decimal *decimal)
{
	struct span rest = decimal->digits;
	uint64_t value = 0;

	for (size_t i = 0; i < decimal->count; i++)
		value = value * 10 + (uint64_t)(next_digit(&rest) - '0');
	return value;
}

/*
 * With decimal = D * 10^e and factor = F * 10^f, D * 10^(e - f) must be a multiple of F. The last
 * digit of D is not 0, so for e < f it is not a whole number.
 */
bool decimal_is_multiple(const struct decimal *decimal, const struct decimal *factor)
{
	uint64_t modulus = small_value(factor), left = 0, power = 10;
	struct span rest = decimal->digits;

	if (decimal->form != DECIMAL_FINITE)
		return false;
	if (is_zero(decimal))
		return true;
	if (decimal->exponent < factor->exponent)
		return false;
	for (size_t i = 0; i < decimal->count; i++)
		left = (left * 10 + (uint64_t)(next_digit(&rest) - '0')) % modulus;
	for (int64_t e = decimal->exponent - factor->exponent; e; e >>= 1) {
		if (e & 1)
			left = multiply_modulo(left, power, modulus);
		power = multiply_modulo(power, power, modulus);
	}
	return left == 0;
}

uint64_t decimal_hash(const struct decimal *decimal, uint64_t hash)
{
	struct span rest = decimal->digits;

	hash = hash_add(hash, (uint64_t)decimal->form << 1 | decimal->number.is_negative);
	if (decimal->form != DECIMAL_FINITE)
		return hash;
	hash = hash_add(hash, (uint64_t)decimal->exponent);
	for (size_t i = 0; i < decimal->count; i++)
		hash = hash_add(hash, (uint64_t)next_digit(&rest));
	return hash;
}

bool decimal_count(const struct decimal *decimal, uint32_t *ret)
{
	uint64_t value;

	if (!decimal_is_whole(decimal) || decimal->number.is_negative)
		return false;
	*ret = UINT32_MAX;
	if ((int64_t)decimal->count + decimal->exponent > 10)
		return true;
	value = small_value(decimal);
	for (int64_t i = 0; i < decimal->exponent; i++)
		value *= 10;
	if (value < UINT32_MAX)
		*ret = (uint32_t)value;
	return true;
}
