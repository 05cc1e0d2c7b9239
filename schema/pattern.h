/*
 * A pattern: a regular expression as ECMA-262 has it, with its flag "u", which is what JSON Schema
 * asks for. It is carried over to PCRE2's language; what has no meaning in ECMA-262, or can't be
 * carried over, is refused when the pattern is made.
 */
#pragma once

#include <stdint.h>

#include "arena.h"

/* Bytes of a pattern. */
#define PATTERN_BYTES_MAX (64u << 10)

/* Bytes of the reason why a pattern can't be used. */
#define PATTERN_REASON_MAX 256

struct pattern;

/** Results of the functions here, besides -ENOMEM. */
enum {
	PATTERN_BAD = 1, /* `reason` says why */
	PATTERN_TOO_MUCH_WORK,
};

/** Returns 0 with *ret for pattern_free(); PATTERN_BAD; or -ENOMEM. */
int pattern_new(struct span text, struct pattern **ret, char reason[PATTERN_REASON_MAX]);

void pattern_free(struct pattern *pattern);

/* What a thread needs to match. */
struct matcher;

/** NULL: no memory. */
struct matcher *matcher_new(void);
void matcher_free(struct matcher *matcher);

/**
 * Whether the pattern fits somewhere in `text`, into *ret. The work that it takes, in steps of a
 * few nanoseconds, is taken from *work: PATTERN_TOO_MUCH_WORK when that does not suffice. Or
 * -ENOMEM.
 */
int pattern_match(const struct pattern *pattern, struct matcher *matcher, struct span text,
	uint64_t *work, bool *ret);
