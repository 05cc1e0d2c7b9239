/*
 * The header: a comment at the top of a merged file that names its sources, so that a user who
 * wants to change a value knows which files to edit.
 *
 *      # Merged by plyfs (deep); edit the sources: low/app.yaml, high/app.yaml
 */
#pragma once

#include "merge.h"

/* Sources that are named; of the others the header gives only the number. */
#define HEADER_NAMES_MAX 10

/* Bytes of a name. A longer one is cut at its front. */
#define HEADER_NAME_MAX 512

/**
 * Makes the header of `result`, with its newline. The format must have comments. The header names
 * the sources that the result has so far. Returns 0 with *ret in the result's arena, or -ENOMEM.
 */
int header_make(
	const struct merge_request *request, const struct merge_result *result, struct span *ret);
