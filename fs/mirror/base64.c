#include "base64.h"

#include <stdint.h>
#include <stdlib.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_make(struct span bytes)
{
	const unsigned char *in = (const unsigned char *)bytes.data;
	char *text = malloc((bytes.len + 2) / 3 * 4 + 1), *out = text;

	if (!text)
		return NULL;
	for (size_t left = bytes.len; left > 0; out += 4) {
		uint32_t word = (uint32_t)in[0] << 16;

		word |= left > 1 ? (uint32_t)in[1] << 8 : 0;
		word |= left > 2 ? in[2] : 0;
		out[0] = letters[word >> 18];
		out[1] = letters[word >> 12 & 63];
		out[2] = left > 1 ? letters[word >> 6 & 63] : '=';
		out[3] = left > 2 ? letters[word & 63] : '=';
		in += left > 2 ? 3 : left;
		left -= left > 2 ? 3 : left;
	}
	*out = '\0';
	return text;
}

/* Returns 0 to 63; -1: not a character of base64. */
static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_decode(struct span text, char *out, size_t *ret_len)
{
	size_t padding = 0, len = 0;

	if (text.len % 4 != 0)
		return false;
	while (padding < 2 && padding < text.len && text.data[text.len - 1 - padding] == '=')
		padding++;
	for (size_t i = 0; i < text.len; i += 4) {
		size_t last = i + 4 == text.len ? padding : 0;
		uint32_t word = 0;

		for (size_t j = 0; j < 4; j++) {
			int value = j < 4 - last ? value_of(text.data[i + j]) : 0;
			if (value < 0)
				return false;
			word = word << 6 | (uint32_t)value;
		}
		/* Unused bits must be zero, so that the same bytes never have two texts. */
		if ((last == 1 && word & 0xFF) || (last == 2 && word & 0xFFFF))
			return false;
		for (size_t j = 0; j < 3 - last; j++)
			out[len++] = (char)(word >> (16 - 8 * j));
	}
	*ret_len = len;
	return true;
}
