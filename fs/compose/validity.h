/*
 * Validity: whether a merged file matches the schema of its path. An invalid merge is not shown.
 * The place of an error is the place of the wrong value in a layer, or of the map that lacks a key.
 */
#pragma once

#include "merge.h"
#include "settings.h"

/* The errors of a merged file. */
struct validity {
	struct problem *problems;
	size_t count;
	uint64_t more; /* number of errors that are not in `problems` */
};

/**
 * Checks the result of a merge by the schema of request->path. Before the call, set *ret to all
 * zero; `ret` may be NULL. Returns 0 if the result is valid, or the path has no schema; PROBLEM; or
 * -errno. If the result is invalid, `problem` has the first error and the number of further errors,
 * and *ret has the errors, for validity_fini(). If PROBLEM means that the result could not be
 * checked, `problem` says why, and *ret does not change.
 */
int validity_check(const struct settings *settings, const struct merge_request *request,
	const struct merge_result *result, struct validity *ret, struct problem *problem);

/** Checks the result by `schema`. Returns as validity_check(). */
int validity_check_by(const struct schema *schema, const struct merge_request *request,
	const struct merge_result *result, struct validity *ret, struct problem *problem);

void validity_fini(struct validity *validity);
