/*
 * A run of bytes that somebody else owns. It may hold NUL bytes; it is not NUL-terminated unless
 * the function that gives it says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
	const char *data; /* may be NULL when len is 0 */
	size_t len;       /* bytes */
};

static inline struct span span_of(const char *string)
{
	return (struct span){string, strlen(string)};
}

static inline bool span_equal(struct span a, struct span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool span_is(struct span span, const char *string)
{
	return span_equal(span, span_of(string));
}
