/*
 * Validity: whether a merged file is as the schema of its path says.
 *
 * A merge that is not so counts as one that failed: nobody sees it. What is wrong is told where the
 * value at fault stands in its layer, or where the map does that lacks one.
 */
#pragma once

#include "merge.h"
#include "settings.h"

/* All that is wrong, as far as it is told. */
struct validity {
	struct problem *problems;
	size_t count;
	uint64_t more; /* that are not told */
};

/**
 * Checks the result of a merge at request->path, which may have any number of sources. `ret` may be
 * NULL: then `problem` speaks of the first fault and says how many there are.
 * Returns 0 also when the path has no schema; PROBLEM with *ret for validity_fini(), or, with
 * ret->count 0, when that could not be found out; or -ENOMEM.
 */
int validity_check(const struct settings *settings, const struct merge_request *request,
	const struct merge_result *result, struct validity *ret, struct problem *problem);

/** The same by a schema that no path names: a command was given it. */
int validity_check_by(const struct schema *schema, const struct merge_request *request,
	const struct merge_result *result, struct validity *ret, struct problem *problem);

void validity_fini(struct validity *validity);
