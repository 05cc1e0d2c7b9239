/* The nearest KEY (assignment.h): if a KEY does not exist, a guess at what the user meant. */
#pragma once

#include "explained_value.h"

/**
 * Reports that the file `path` has no `key`. The first `depth` parts of the key exist, and lead to
 * `at`. Suggests a key in `at` whose name is similar to that of the next part, or else a KEY
 * elsewhere in the file that ends with this name. Returns EXIT_FAILED.
 */
int nearest_key_report(const char *path, const struct key *key,
	const struct explanation *explanation, const struct explained *at, size_t depth);
