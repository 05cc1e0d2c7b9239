/*
 * A pattern: a regular expression of ECMA-262 with its flag "u", as JSON Schema demands.
 * pattern_new() refuses a pattern that has no meaning in ECMA-262, or that PCRE2 can't express.
 */
#pragma once

#include <stdint.h>

#include "arena.h"

/* Greatest size of a pattern, in bytes. */
#define PATTERN_BYTES_MAX (64u << 10)

/* Size of a reason why a pattern can't be used, in bytes, with its NUL. */
#define PATTERN_REASON_MAX 256

struct pattern;

/* Positive results of this module. */
enum {
	PATTERN_BAD = 1, /* the pattern can't be used; `reason` says why */
	PATTERN_TOO_MUCH_WORK,
};

/** Makes a pattern; free it with pattern_free(). Returns 0 with *ret, PATTERN_BAD or -ENOMEM. */
int pattern_new(struct span text, struct pattern **ret, char reason[PATTERN_REASON_MAX]);

void pattern_free(struct pattern *pattern);

/**
 * Converts `text` to PCRE2's syntax. *ret becomes a NUL-terminated text, for free(3), and *len its
 * length in bytes. Returns 0, PATTERN_BAD or -ENOMEM.
 */
int pattern_text(struct span text, char **ret, size_t *len, char reason[PATTERN_REASON_MAX]);

/* The memory for matching patterns, for one thread at a time. */
struct matcher;

/** Makes a matcher. Returns NULL if memory is short. */
struct matcher *matcher_new(void);
void matcher_free(struct matcher *matcher);

/**
 * Sets *ret to whether `text` has a match. The search may take *work steps, of a few nanoseconds
 * each. Subtracts from *work the number of steps taken. Returns 0; PATTERN_TOO_MUCH_WORK if the
 * search needs more steps, or more than 64 MiB for backtracking; or -ENOMEM.
 */
int pattern_match(const struct pattern *pattern, struct matcher *matcher, struct span text,
	uint64_t *work, bool *ret);
