/*
 * An explanation as JSON, for `plyfs explain --json` and .plyfs/origins. plyfs(1) documents the
 * format.
 */
#pragma once

#include <stdio.h>

#include "explained_value.h"

/**
 * Writes the explanation, or only the part that `only` names (NULL: all). The same explanation
 * gives the same bytes. No other thread may use `out` meanwhile; the caller asks ferror(3) whether
 * the writing failed. Returns 0 or -ENOMEM.
 */
int explain_json(const struct explanation *explanation, const struct explained *only, FILE *out);
