/*
 * An explanation as JSON (plyfs(1) tells its form): for `plyfs explain --json`, and .plyfs/origins.
 */
#pragma once

#include <stdio.h>

#include "explained.h"

/**
 * Writes all of it, or what `only` is about (NULL: all). The same explanation gives the same bytes.
 * `out` is nobody else's meanwhile; whether it took everything ferror(3) tells. 0 or -ENOMEM.
 */
int explain_json(const struct explanation *explanation, const struct explained *only, FILE *out);
