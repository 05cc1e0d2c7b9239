/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool utf8_is_tail(unsigned char byte)
{
	return (byte & 0xC0) == 0x80;
}

/* Returns the length in bytes of the well-formed character at `p` (p < end); 0: there is none. */
static inline size_t utf8_length(const char *p, const char *end)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t left = (size_t)(end - p);

	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xC2 || left < 2 || !utf8_is_tail(u[1]))
		return 0;
	if (u[0] < 0xE0)
		return 2;
	if (left < 3 || !utf8_is_tail(u[2]))
		return 0;
	if (u[0] < 0xF0) {
		if (u[0] == 0xE0 && u[1] < 0xA0)
			return 0;
		return u[0] == 0xED && u[1] > 0x9F ? 0 : 3;
	}
	if (u[0] > 0xF4 || left < 4 || !utf8_is_tail(u[3]))
		return 0;
	if (u[0] == 0xF0 && u[1] < 0x90)
		return 0;
	return u[0] == 0xF4 && u[1] > 0x8F ? 0 : 4;
}

/* Returns the number of characters. All columns are counted in characters. */
static inline size_t utf8_count(const char *p, const char *end)
{
	size_t count = 0;

	for (; p < end; p++)
		count += !utf8_is_tail((unsigned char)*p);
	return count;
}

/* Returns the code point of the well-formed character of `length` bytes at `p`. */
static inline uint32_t utf8_decode(const char *p, size_t length)
{
	static const unsigned char first[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
	uint32_t code = (unsigned char)p[0] & first[length];

	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((unsigned char)p[i] & 0x3F);
	return code;
}

/* Returns whether the character is white space outside of ASCII. */
static inline bool utf8_is_blank(uint32_t code)
{
	return code == 0x85 || code == 0xA0 || code == 0x1680 ||
	       (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
	       code == 0x202F || code == 0x205F || code == 0x3000;
}

/* Returns the value of the four hexadecimal digits at `p`; -1: there are not four. */
static inline int32_t utf8_hex4(const char *p, const char *end)
{
	int32_t code = 0;

	for (int i = 0; i < 4; i++) {
		char c = p + i < end ? p[i] : '\0', small = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			code = code << 4 | (c - '0');
		else if (small >= 'a' && small <= 'f')
			code = code << 4 | (small - 'a' + 10);
		else
			return -1;
	}
	return code;
}

/* Writes `code`, a valid code point, to `out`. Returns the number of bytes written. */
static inline size_t utf8_encode(uint32_t code, char out[4])
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xC0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3F));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xE0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3F));
		out[2] = (char)(0x80 | (code & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3F));
	out[2] = (char)(0x80 | (code >> 6 & 0x3F));
	out[3] = (char)(0x80 | (code & 0x3F));
	return 4;
}
