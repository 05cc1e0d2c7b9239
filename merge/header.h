/*
 * The header: a comment at the top of a merged file that names the files to edit.
 *
 *      # Merged by plyfs (deep); edit the sources: low/app.yaml, high/app.yaml
 */
#pragma once

#include "merge.h"

/* Greatest number of named sources. The header counts the rest. */
#define HEADER_NAMES_MAX 10

/* Longest name, in bytes, with its NUL. A longer name loses its beginning. */
#define HEADER_NAME_MAX 512

/**
 * Makes the header of `result`, with a newline. The format request->to must have comments. Returns
 * 0 with *ret in the result's arena, or -ENOMEM.
 */
int header_make(
	const struct merge_request *request, const struct merge_result *result, struct span *ret);
