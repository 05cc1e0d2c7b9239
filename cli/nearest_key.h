/* The nearest KEY: a guess at what the user meant by a KEY that does not exist. */
#pragma once

#include "explained_value.h"

/**
 * Reports that the file `path` has no `key`; only parts[0..depth) exist, which lead to `at`.
 * Suggests a key with a similar name there, or else the place of a key with the same name.
 */
void nearest_key_report(const char *path, const struct key *key,
	const struct explanation *explanation, const struct explained *at, size_t depth);
