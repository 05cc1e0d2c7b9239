/*
 * The header: a comment at the top of a merged file that names its sources, so that a user who
 * wants to change a value knows which files to edit.
 *
 *      # Merged by plyfs (deep); edit the sources: low/app.yaml, high/app.yaml
 */
#pragma once

#include "merge.h"

/* Greatest number of sources that are named. The others are only counted. */
#define HEADER_NAMES_MAX 10

/* Longest name, in bytes, with its NUL. A longer name loses its beginning. */
#define HEADER_NAME_MAX 512

/**
 * Makes the header of `result`, with a newline. The header names the sources in result->sources.
 * The format request->to must have comments. Returns 0 with *ret in the result's arena, or -ENOMEM.
 */
int header_make(
	const struct merge_request *request, const struct merge_result *result, struct span *ret);
