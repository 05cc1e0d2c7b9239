/* An explanation: the merge of one path, with its inputs, and its values' origins (origin.h). */
#pragma once

#include <stdio.h>

#include "offline.h"
#include "store_place.h"
#include "stream.h"

struct explained;
struct merge_request;
struct merge_result;

/* A layer's file that is no source, although it lies at the path or is a drop-in. */
struct passed {
	struct source source;
	char *why; /* why it is left out; NULL: the strategy leaves it out */
};

struct explanation {
	char *path;             /* relative to the root */
	enum version_kind kind; /* VERSION_BYTES: `result` is set; else `source` is set */
	struct source source;   /* of a file that is not merged; its `name` is NULL otherwise */
	const struct merge_request
		*request; /* has the inputs, lowest layer first, with their texts */
	const struct merge_result *result; /* with its origins */
	struct stream stream;              /* the YAML documents of `result`, if it has values */
	struct passed *passed; /* of files with the same path, the lowest layer's first */
	size_t passed_count;
	size_t passed_capacity;
	/* for a file that the explanation is written to: 0666; 0600 if a source is closed to some
	 * user */
	mode_t mode;
	struct store_places places; /* of the sources that are in stores */
};

/**
 * Explains the file `path`, relative to the root and with no "." or "..". Returns 0 with *ret for
 * explanation_free(), which must precede offline_free(); PROBLEM; or -errno as offline_read(). On
 * success, problem->message says why `on_error: skip-layer` has left a layer out, or is empty.
 */
int explain(const struct offline *offline, const char *path, struct explanation **ret,
	struct problem *problem);
void explanation_free(struct explanation *explanation); /* NULL: does nothing */

/**
 * Writes the explanation, or the value `only` of it (NULL: all), as JSON, in the format of `plyfs
 * explain --json` (plyfs(1)). Returns 0 or -ENOMEM; ferror(3) reports errors of writing.
 */
int explain_json(const struct explanation *explanation, const struct explained *only, FILE *file);
