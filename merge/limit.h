/* Maxima, because all input is hostile. The settings can change them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct limits {
	size_t source_bytes; /* of a source's text */
	size_t result_bytes; /* of a merged file */
	unsigned depth;      /* of nested maps and lists */
	uint32_t nodes;      /* of a source or a result; an alias counts like a copy */
	uint64_t time_ms;    /* of processor time, to read a source or to merge; 0: no limit */
};

/* Greatest value of `depth`: functions walk trees by recursion, and the stack must suffice. */
#define LIMIT_DEPTH_MAX 1000

/* Real configuration stays far below each of these. */
#define LIMITS_DEFAULT                                                                             \
	((struct limits){.source_bytes = 16u << 20,                                                \
		.result_bytes = 64u << 20,                                                         \
		.depth = 128,                                                                      \
		.nodes = 1000000,                                                                  \
		.time_ms = 1000})

/** Caps `depth` at LIMIT_DEPTH_MAX. If all members but `time_ms` are 0, returns LIMITS_DEFAULT. */
static inline struct limits limits_or_default(struct limits limits)
{
	if (!limits.source_bytes && !limits.result_bytes && !limits.depth && !limits.nodes)
		return LIMITS_DEFAULT;
	if (limits.depth > LIMIT_DEPTH_MAX)
		limits.depth = LIMIT_DEPTH_MAX;
	return limits;
}
