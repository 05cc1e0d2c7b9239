/*
 * A record as an attacker would write it: any bytes, with the right sum (record.c), or with none if
 * its format has none.
 */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "record.h"

#define FORGED_HEAD 24
#define FORGED_TAIL 8
#define FORGED_SUM_START 0x9E3779B97F4A7C15u

static inline bool forge_is_summed(const char *data)
{
	/* the highest byte of the format */
	return !((unsigned char)data[15] & RECORD_UNSUMMED >> 56);
}

static inline void forge_number(char *to, uint64_t value)
{
	for (size_t i = 0; i < sizeof(value); i++)
		to[i] = (char)(value >> 8 * i);
}

/* The sum of `size` bytes becomes right. */
static inline void forge_sum(char *data, size_t size)
{
	size_t summed = size - FORGED_TAIL;

	forge_number(data + summed,
		forge_is_summed(data) ? hash_bytes(FORGED_SUM_START, (struct span){data, summed})
				      : 0);
}

/* Makes a record whose content is `body`. The bytes are for free(3). */
static inline char *forge(uint64_t format, const char *body, size_t body_size, size_t *size)
{
	*size = FORGED_HEAD + body_size + FORGED_TAIL;
	char *data = calloc(1, *size);

	if (!data)
		abort();
	memcpy(data, "plyfs", sizeof("plyfs"));
	forge_number(data + 8, format);
	forge_number(data + 16, body_size);
	if (body_size)
		memcpy(data + FORGED_HEAD, body, body_size);
	forge_sum(data, *size);
	return data;
}
