/* The conversion of a pattern to PCRE2's syntax. */
#pragma once

#include "pattern.h"

/**
 * Converts the pattern `text`. *ret becomes a NUL-terminated text that the caller must free(3), and
 * *len its length in bytes. Returns 0, PATTERN_BAD with `reason` filled, or -ENOMEM.
 */
int pattern_text(struct span text, char **ret, size_t *len, char reason[PATTERN_REASON_MAX]);
