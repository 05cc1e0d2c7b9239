/*
 * Validity: whether a merged file matches the schema of its path.
 *
 * An invalid merge has failed, and is not shown. Each error is reported with its place in a layer:
 * that of the wrong value, or of the map that lacks a key.
 */
#pragma once

#include "merge.h"
#include "settings.h"

/* The errors that are reported. */
struct validity {
	struct problem *problems;
	size_t count;
	uint64_t more; /* the number of errors that are not reported */
};

/**
 * Checks the result of a merge by the schema of request->path. Returns 0 if the result is valid or
 * the path has no schema; PROBLEM; or -ENOMEM. If the result is invalid, `problem` has the first
 * error and the number of the others, and *ret has the errors, for validity_fini(). If the check
 * itself has failed, `problem` says why, and *ret stays all zero. *ret must be all zero before.
 * `ret` may be NULL.
 */
int validity_check(const struct settings *settings, const struct merge_request *request,
	const struct merge_result *result, struct validity *ret, struct problem *problem);

/** Checks the result by `schema`. Returns as validity_check(). */
int validity_check_by(const struct schema *schema, const struct merge_request *request,
	const struct merge_result *result, struct validity *ret, struct problem *problem);

void validity_fini(struct validity *validity);
