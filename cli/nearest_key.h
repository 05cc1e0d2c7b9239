/* The nearest KEY (assignment.h): if a KEY does not exist, a guess at what the user meant. */
#pragma once

#include "explained_value.h"

/**
 * Reports that the file `path` has no `key`. The first `depth` parts of the key exist, and lead to
 * `at`; the part after them is missing. Suggests a key in `at` with a name similar to the missing
 * part's, or else a KEY that is elsewhere in the file and ends with the missing part's name.
 * Returns EXIT_FAILED.
 */
int nearest_key_report(const char *path, const struct key *key,
	const struct explanation *explanation, const struct explained *at, size_t depth);
