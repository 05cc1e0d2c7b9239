/*
 * A pattern: a regular expression of ECMA-262 with its flag "u", as JSON Schema demands.
 *
 * Patterns are converted to PCRE2's syntax. pattern_new() refuses a pattern that has no meaning in
 * ECMA-262, or can't be converted.
 */
#pragma once

#include <stdint.h>

#include "arena.h"

/* Greatest size of a pattern, in bytes. */
#define PATTERN_BYTES_MAX (64u << 10)

/* Size, in bytes, of the buffer for the reason why a pattern can't be used. */
#define PATTERN_REASON_MAX 256

struct pattern;

/** Positive results of the functions here. */
enum {
	PATTERN_BAD = 1, /* the pattern can't be used; `reason` says why */
	PATTERN_TOO_MUCH_WORK,
};

/** Makes a pattern; free it with pattern_free(). Returns 0 with *ret, PATTERN_BAD or -ENOMEM. */
int pattern_new(struct span text, struct pattern **ret, char reason[PATTERN_REASON_MAX]);

void pattern_free(struct pattern *pattern);

/**
 * Converts `text` to PCRE2's syntax. *ret becomes a NUL-terminated text that the caller must
 * free(3), and *len its length in bytes. Returns 0, PATTERN_BAD with `reason` filled, or -ENOMEM.
 */
int pattern_text(struct span text, char **ret, size_t *len, char reason[PATTERN_REASON_MAX]);

/* The memory for matching patterns. Only one thread may use it at a time. */
struct matcher;

/** Makes a matcher. Returns NULL when there is no memory. */
struct matcher *matcher_new(void);
void matcher_free(struct matcher *matcher);

/**
 * Searches `text` for a match, and sets *ret to whether there is one. *work is the number of steps,
 * of a few nanoseconds each, that the search may take. The steps that it took are subtracted from
 * *work. Returns 0; PATTERN_TOO_MUCH_WORK if the search needs more steps, or more than 64 MiB for
 * backtracking; or -ENOMEM.
 */
int pattern_match(const struct pattern *pattern, struct matcher *matcher, struct span text,
	uint64_t *work, bool *ret);
