/*
 * The header: a comment at the top of a merged file that says what it was made of, to whoever is
 * about to look for the place to change something.
 *
 *      # Merged by plyfs (deep); edit the sources: low/app.yaml, high/app.yaml
 */
#pragma once

#include "merge.h"

/* Sources that are named; of more, only the number is told. */
#define HEADER_NAMES_MAX 10

/* Bytes of a name; a longer one is cut in front. */
#define HEADER_NAME_MAX 512

/**
 * The header of `result`, with its newline, in a format that has comments. It names what the result
 * was made of so far. 0 with *ret in the result's arena, or -ENOMEM.
 */
int header_make(
	const struct merge_request *request, const struct merge_result *result, struct span *ret);
