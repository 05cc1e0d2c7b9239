/*
 * A span: borrowed bytes, perhaps with NULs. A NUL follows them only if the span's comment says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct span {
	const char *data; /* may be NULL when len is 0 */
	size_t len;       /* bytes */
};

static inline struct span span_of(const char *string)
{
	return (struct span){string, strlen(string)};
}

/* Returns the address behind the last byte; NULL if `data` is NULL, as C17 forbids NULL + 0. */
static inline const char *span_end(struct span span)
{
	return span.len ? span.data + span.len : span.data;
}

static inline bool span_equal(struct span a, struct span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Returns a copy for free(3), with a NUL behind it. NULL: no memory. */
static inline char *span_dup(struct span span)
{
	char *copy = malloc(span.len + 1);

	if (!copy)
		return NULL;
	if (span.len)
		memcpy(copy, span.data, span.len);
	copy[span.len] = '\0';
	return copy;
}

/* Returns whether `span` is a word in `list`. Characters of `separator` stand between the words. */
static inline bool span_is_in(struct span span, const char *list, const char *separator)
{
	bool is_found = false;

	while (*list && !is_found) {
		size_t len = strcspn(list, separator);

		is_found = span_equal(span, (struct span){list, len});
		list += len + strspn(list + len, separator);
	}
	return is_found;
}

static inline size_t span_count(struct span span, char c)
{
	size_t count = 0;

	for (size_t i = 0; i < span.len; i++)
		count += span.data[i] == c;
	return count;
}

static inline bool span_begins(struct span span, const char *start)
{
	return span.len >= strlen(start) && memcmp(span.data, start, strlen(start)) == 0;
}

static inline bool span_is(struct span span, const char *string)
{
	return span_equal(span, span_of(string));
}
