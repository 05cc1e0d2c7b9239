/*
 * The text of a pattern in PCRE2's language.
 */
#pragma once

#include "pattern.h"

/**
 * Carries `text` over, in memory from malloc(3), NUL-terminated, with *len its bytes. Returns 0,
 * PATTERN_BAD or -ENOMEM.
 */
int pattern_text(struct span text, char **ret, size_t *len, char reason[PATTERN_REASON_MAX]);
