#include "number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hash.h"

/*
 * Digits that determine a double. Of the digits after them, it only matters whether all are zero.
 */
#define REAL_DIGITS_MAX 800

/* Powers of ten: beyond these a double is 0 or infinite, whatever its digits are. */
#define REAL_EXPONENT_MAX 100000

#define LIMB_BASE UINT64_C(1000000000)
#define LIMB_DIGITS 9

/*
 * A large integer under construction: limbs, the lowest first, and a pending multiplication and
 * addition.
 */
struct big {
	uint32_t limbs[sizeof(((struct number *)NULL)->room) / LIMB_DIGITS];
	size_t count;
	uint64_t multiply; /* at most UINT32_MAX; greater than `add` */
	uint64_t add;
};

enum float_kind {
	FLOAT_DECIMAL,
	FLOAT_SEXAGESIMAL,
	FLOAT_INFINITE,
	FLOAT_NAN,
};

/* The parts of a float, as written, behind its sign. */
struct float_parts {
	enum float_kind kind;
	struct span whole; /* digits, "_" and ":" */
	struct span fraction;
	struct span power; /* "e+05", or empty */
};

static unsigned digit_value(char c)
{
	if (number_is_digit(c))
		return (unsigned)(c - '0');
	return (unsigned)((c | 0x20) - 'a') + 10;
}

/*
 * Reads the next digits of an integer from its front: value = value * *multiply + *add. Returns the
 * rest.
 */
static const char *next_step(
	const char *p, const char *end, unsigned base, unsigned *multiply, unsigned *add)
{
	*multiply = base == 60 ? 10 : base;
	*add = 0;
	if (*p != ':') {
		*add = digit_value(*p);
		return p + 1;
	}
	*multiply = 60;
	for (p++; p < end && *p != ':'; p++)
		*add = *add * 10 + digit_value(*p);
	return p;
}

static const char *skip_underscores(const char *p, const char *end)
{
	while (p < end && *p == '_')
		p++;
	return p;
}

static struct span significant(struct span digits)
{
	const char *p = digits.data, *end = span_end(digits);

	while (p < end && (*p == '0' || *p == '_'))
		p++;
	return (struct span){p, (size_t)(end - p)};
}

static size_t count_digits(struct span digits)
{
	size_t count = 0;

	for (size_t i = 0; i < digits.len; i++)
		count += digits.data[i] != '_';
	return count;
}

static void big_flush(struct big *big)
{
	uint64_t carry = big->add;

	for (size_t i = 0; i < big->count; i++) {
		carry += big->limbs[i] * big->multiply;
		big->limbs[i] = (uint32_t)(carry % LIMB_BASE);
		carry /= LIMB_BASE;
	}
	for (; carry; carry /= LIMB_BASE)
		big->limbs[big->count++] = (uint32_t)(carry % LIMB_BASE);
	big->multiply = 1;
	big->add = 0;
}

static void big_step(struct big *big, unsigned multiply, unsigned add)
{
	if (big->multiply * multiply > UINT32_MAX)
		big_flush(big);
	big->multiply *= multiply;
	big->add = big->add * multiply + add;
}

static struct span big_text(const struct big *big, char *out)
{
	size_t i = big->count - 1;
	size_t len = (size_t)sprintf(out, "%" PRIu32, big->limbs[i]);

	while (i-- > 0)
		len += (size_t)sprintf(out + len, "%09" PRIu32, big->limbs[i]);
	return (struct span){out, len};
}

/* Reads `digits` in `base`, a number above UINT64_MAX. */
static void number_of_big(struct span digits, unsigned base, struct number *ret)
{
	struct big big = {.multiply = 1};
	const char *p, *end;

	digits = significant(digits);
	ret->base = base;
	ret->form = base == 10 ? NUMBER_DECIMAL : NUMBER_LARGE;
	ret->digits = digits;
	if (base == 10 || count_digits(digits) > NUMBER_DIGITS_MAX)
		return;

	end = span_end(digits);
	for (p = skip_underscores(digits.data, end); p < end; p = skip_underscores(p, end)) {
		unsigned multiply, add;

		p = next_step(p, end, base, &multiply, &add);
		big_step(&big, multiply, add);
	}
	big_flush(&big);
	ret->form = NUMBER_DECIMAL;
	ret->base = 10;
	ret->digits = big_text(&big, ret->room);
}

static void number_of_digits(struct span digits, unsigned base, struct number *ret)
{
	const char *p = digits.data, *end = span_end(digits);
	uint64_t value = 0;

	for (p = skip_underscores(p, end); p < end; p = skip_underscores(p, end)) {
		unsigned multiply, add;

		p = next_step(p, end, base, &multiply, &add);
		if (value > (UINT64_MAX - add) / multiply) {
			number_of_big(digits, base, ret);
			return;
		}
		value = value * multiply + add;
	}
	ret->form = NUMBER_SMALL;
	ret->small = value;
	if (!value)
		ret->is_negative = false;
}

/* `is_signed`: after a sign, Salt reads leading zeros as octal, too. */
static unsigned base_of(struct span *digits, enum node_schema schema, bool is_signed)
{
	char second = digits->len > 1 ? digits->data[1] : '\0';
	bool is_1_1 = schema == NODE_YAML_1_1 || schema == NODE_SALT;
	unsigned base = 10;

	if (schema == NODE_JSON)
		return 10;
	if (digits->data[0] == '0' && second == 'x')
		base = 16;
	else if (digits->data[0] == '0' && second == 'b' && schema != NODE_YAML_1_2)
		base = 2;
	else if (digits->data[0] == '0' && second == 'o' && !is_1_1)
		base = 8;

	if (base != 10) {
		digits->data += 2;
		digits->len -= 2;
		return base;
	}
	if (!is_1_1)
		return 10;
	if (digits->data[0] == '0')
		return schema == NODE_SALT && !is_signed ? 10 : 8;
	return memchr(digits->data, ':', digits->len) ? 60 : 10;
}

bool number_take_sign(struct span *text)
{
	bool is_negative = text->len && text->data[0] == '-';

	if (text->len && (is_negative || text->data[0] == '+')) {
		text->data++;
		text->len--;
	}
	return is_negative;
}

void number_of_int(struct span text, enum node_schema schema, struct number *ret)
{
	const char *start = text.data;
	unsigned base;

	ret->is_negative = number_take_sign(&text);
	base = base_of(&text, schema, text.data > start);
	number_of_digits(text, base, ret);
}

static size_t run_of(struct span text, const char *more)
{
	size_t len = 0;

	while (len < text.len &&
		(number_is_digit(text.data[len]) || strchr(more, text.data[len])) && text.data[len])
		len++;
	return len;
}

static struct span take(struct span *text, size_t len)
{
	struct span head = {text->data, len};

	text->data += len;
	text->len -= len;
	return head;
}

static void parse_float(struct span text, struct float_parts *ret)
{
	char word;

	*ret = (struct float_parts){0};
	if (!text.len)
		return;
	/* ".inf" and ".NaN"; TOML has no point in front. */
	word = text.data[text.len > 1 && text.data[0] == '.'];
	if ((word | 0x20) == 'n' || (word | 0x20) == 'i') {
		ret->kind = (word | 0x20) == 'n' ? FLOAT_NAN : FLOAT_INFINITE;
		return;
	}
	ret->whole = take(&text, run_of(text, "_:"));
	if (ret->whole.len && memchr(ret->whole.data, ':', ret->whole.len))
		ret->kind = FLOAT_SEXAGESIMAL;
	if (text.len && text.data[0] == '.') {
		take(&text, 1);
		ret->fraction = take(&text, run_of(text, "_"));
	}
	ret->power = text;
}

/*
 * Turns `whole` into decimal digits, stored in `number` if necessary. Returns false if it is too
 * large.
 */
static bool whole_to_decimal(struct float_parts *decimal, struct number *number)
{
	if (decimal->kind != FLOAT_SEXAGESIMAL)
		return true;
	number_of_digits(decimal->whole, 60, number);
	if (number->form == NUMBER_LARGE)
		return false;
	if (number->form == NUMBER_SMALL) {
		int len = snprintf(number->room, sizeof(number->room), "%" PRIu64, number->small);

		number->digits = (struct span){number->room, (size_t)len};
	}
	decimal->whole = number->digits;
	decimal->kind = FLOAT_DECIMAL;
	return true;
}

int64_t number_power(struct span power, int64_t max)
{
	bool is_negative;
	int64_t value = 0;

	if (!power.len)
		return 0;
	take(&power, 1);
	is_negative = number_take_sign(&power);
	for (size_t i = 0; i < power.len && value < max; i++)
		if (number_is_digit(power.data[i]))
			value = value * 10 + (power.data[i] - '0');
	if (value > max)
		value = max;
	return is_negative ? -value : value;
}

/*
 * Returns the double nearest to the digits. strtod(3) gets an integer with a power of ten, because
 * its decimal point depends on the locale.
 */
static double to_double(const struct float_parts *decimal)
{
	const struct span parts[2] = {decimal->whole, decimal->fraction};
	char text[REAL_DIGITS_MAX + 32];
	/* It is cut where any double is 0 or infinite, whatever its digits are. */
	int64_t slack = (int64_t)(decimal->whole.len + decimal->fraction.len);
	int64_t power = number_power(decimal->power, slack + REAL_EXPONENT_MAX);
	bool is_rest = false;
	size_t len = 0;

	for (int part = 0; part < 2; part++) {
		for (size_t i = 0; i < parts[part].len; i++) {
			char digit = parts[part].data[i];

			if (digit == '_')
				continue;
			if (part == 1)
				power--;
			if (len == REAL_DIGITS_MAX) {
				is_rest |= digit != '0';
				power++;
			} else if (len || digit != '0') {
				text[len++] = digit;
			}
		}
	}
	if (!len)
		return 0.0;
	if (is_rest) {
		text[len++] = '1';
		power--;
	}
	if (power > REAL_EXPONENT_MAX)
		power = REAL_EXPONENT_MAX;
	if (power < -REAL_EXPONENT_MAX)
		power = -REAL_EXPONENT_MAX;
	snprintf(text + len, sizeof(text) - len, "e%" PRId64, power);
	return strtod(text, NULL);
}

void number_of_float(struct span text, struct number *ret)
{
	bool is_negative = number_take_sign(&text);
	struct float_parts decimal;
	double real;

	parse_float(text, &decimal);
	ret->form = NUMBER_NAN;
	ret->is_negative = false;
	if (decimal.kind == FLOAT_NAN)
		return;
	if (decimal.kind == FLOAT_INFINITE || !whole_to_decimal(&decimal, ret))
		real = HUGE_VAL;
	else
		real = to_double(&decimal);

	ret->form = NUMBER_REAL;
	ret->real = real;
	ret->is_negative = is_negative && real > 0;
	if (isinf(real) || real != floor(real))
		return;
	if (real < 0x1p64) {
		ret->form = NUMBER_SMALL;
		ret->small = (uint64_t)real;
	} else {
		int len = snprintf(ret->room, sizeof(ret->room), "%.0f", real);

		ret->form = NUMBER_DECIMAL;
		ret->digits = (struct span){ret->room, (size_t)len};
	}
}

static bool digits_equal(struct span a, struct span b)
{
	const char *p = a.data, *p_end = span_end(a);
	const char *q = b.data, *q_end = span_end(b);

	for (;;) {
		p = skip_underscores(p, p_end);
		q = skip_underscores(q, q_end);
		if (p == p_end || q == q_end)
			return p == p_end && q == q_end;
		/*
		 * 0x20: hexadecimal digits are equal in either case; all other characters have the
		 * bit set.
		 */
		if ((*p++ | 0x20) != (*q++ | 0x20))
			return false;
	}
}

bool number_equal(const struct number *a, const struct number *b)
{
	if (a->form != b->form || a->form == NUMBER_NAN || a->is_negative != b->is_negative)
		return false;
	switch (a->form) {
	case NUMBER_SMALL:
		return a->small == b->small;
	case NUMBER_DECIMAL:
		return digits_equal(a->digits, b->digits);
	case NUMBER_LARGE:
		return a->base == b->base && digits_equal(a->digits, b->digits);
	case NUMBER_REAL:
		return !(a->real < b->real) && !(a->real > b->real);
	case NUMBER_NAN:
		break;
	}
	return false;
}

uint64_t number_hash(const struct number *number, uint64_t hash)
{
	uint64_t bits;

	hash = hash_add(hash, number->is_negative);
	switch (number->form) {
	case NUMBER_SMALL:
		return hash_add(hash, number->small);
	case NUMBER_DECIMAL:
	case NUMBER_LARGE:
		for (size_t i = 0; i < number->digits.len; i++)
			if (number->digits.data[i] != '_')
				hash = hash_add(hash, (uint64_t)number->digits.data[i] | 0x20);
		return hash;
	case NUMBER_REAL:
		memcpy(&bits, &number->real, sizeof(bits));
		return hash_add(hash, bits);
	case NUMBER_NAN:
		break;
	}
	return hash;
}

double number_double(const struct number *number)
{
	struct float_parts decimal = {.whole = number->digits};
	double real = number->real;

	switch (number->form) {
	case NUMBER_SMALL:
		real = (double)number->small;
		break;
	case NUMBER_DECIMAL:
		real = to_double(&decimal);
		break;
	case NUMBER_LARGE:
		real = HUGE_VAL;
		break;
	case NUMBER_REAL:
		break;
	case NUMBER_NAN:
		real = (double)NAN;
		break;
	}
	return number->is_negative ? -real : real;
}

bool number_is_json(struct span text, bool *is_int)
{
	size_t len;

	if (text.len && text.data[0] == '-')
		take(&text, 1);
	len = run_of(text, "");
	if (!len || (len > 1 && text.data[0] == '0'))
		return false;
	take(&text, len);
	*is_int = !text.len;
	if (text.len && text.data[0] == '.') {
		take(&text, 1);
		len = run_of(text, "");
		if (!len)
			return false;
		take(&text, len);
	}
	if (text.len && (text.data[0] | 0x20) == 'e') {
		take(&text, 1);
		number_take_sign(&text);
		len = run_of(text, "");
		if (!len)
			return false;
		take(&text, len);
	}
	return !text.len;
}

static char *put_digits(char *out, struct span digits)
{
	for (size_t i = 0; i < digits.len; i++)
		if (digits.data[i] != '_')
			*out++ = digits.data[i];
	return out;
}

int number_int_json(const struct number *number, struct arena *arena, struct span *ret)
{
	const char *sign = number->is_negative ? "-" : "";
	char *text, *end;

	if (number->form == NUMBER_LARGE)
		return -ERANGE;
	if (number->form == NUMBER_SMALL) {
		text = arena_printf(arena, "%s%" PRIu64, sign, number->small);
		if (!text)
			return -ENOMEM;
		*ret = span_of(text);
		return 0;
	}
	text = arena_alloc(arena, number->digits.len + 2);
	if (!text)
		return -ENOMEM;
	end = text;
	if (number->is_negative)
		*end++ = '-';
	end = put_digits(end, number->digits);
	*end = '\0';
	*ret = (struct span){text, (size_t)(end - text)};
	return 0;
}

int number_float_json(struct span text, struct arena *arena, struct span *ret)
{
	bool is_negative = number_take_sign(&text);
	struct float_parts decimal;
	struct number number;
	char *out, *end;

	parse_float(text, &decimal);
	if (decimal.kind >= FLOAT_INFINITE || !whole_to_decimal(&decimal, &number))
		return -ERANGE;
	decimal.whole = significant(decimal.whole);

	/* Also room for "-", "0", "." and "0". */
	out = arena_alloc(arena, decimal.whole.len + decimal.fraction.len + decimal.power.len + 5);
	if (!out)
		return -ENOMEM;
	end = out;
	if (is_negative)
		*end++ = '-';
	end = put_digits(end, decimal.whole);
	if (!decimal.whole.len)
		*end++ = '0';
	*end++ = '.';
	end = put_digits(end, decimal.fraction);
	if (end[-1] == '.')
		*end++ = '0';
	end = put_digits(end, decimal.power);
	*end = '\0';
	*ret = (struct span){out, (size_t)(end - out)};
	return 0;
}
