/* An explanation as JSON: `plyfs explain --json` and .plyfs/origins. Its format is in plyfs(1). */
#pragma once

#include <stdio.h>

#include "explained_value.h"

/**
 * Writes the explanation, or only the value `only` (NULL: all). The same explanation gives the same
 * bytes. Returns 0 or -ENOMEM; ferror(3) reports errors of writing.
 */
int explain_json(const struct explanation *explanation, const struct explained *only, FILE *out);
