/* The nearest KEY (assignment.h): the one that the user probably meant by a KEY that is missing. */
#pragma once

#include "explained_file.h"
#include "explained_value.h"

/**
 * Reports that the file `path` has no `key`. The first `depth` parts of the key exist, and lead to
 * `at`; the next part is missing. Suggests a key in `at` with a similar name, or a KEY elsewhere in
 * the file that ends with the missing name. Returns EXIT_FAILED.
 */
int nearest_key_report(const char *path, const struct key *key,
	const struct explained_file *subject, const struct explained *at, size_t depth);
