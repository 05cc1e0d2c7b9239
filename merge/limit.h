/*
 * Hard maxima: all input is hostile. Each is a field, so that a mount can set it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct limits {
	size_t source_bytes; /* a source's text */
	size_t result_bytes; /* a merged file */
	unsigned depth;      /* maps and lists in each other */
	uint32_t nodes;      /* of one source, and of one result, each alias counted as often as used */
	uint64_t time_ms;    /* of the processor, for reading a source and for a merge; 0: no limit */
};

/* Real configuration is a hundred times smaller than each of these. */
#define LIMITS_DEFAULT                                                                             \
	((struct limits){.source_bytes = 16u << 20,                                                \
		.result_bytes = 64u << 20,                                                         \
		.depth = 128,                                                                      \
		.nodes = 1000000,                                                                  \
		.time_ms = 1000})

/** LIMITS_DEFAULT in the place of all zero. */
static inline struct limits limits_or_default(struct limits limits)
{
	if (!limits.source_bytes && !limits.result_bytes && !limits.depth && !limits.nodes)
		return LIMITS_DEFAULT;
	return limits;
}
