/* The report of a rendering: progress, then the outcomes of the files, for people or as JSON. */
#pragma once

#include <stddef.h>

#include "progress.h"
#include "rendered.h"
#include "unchecked_list.h"

struct named_outcome;
struct view_unchecked;

struct render_report {
	/* RENDER_DRY: the report has the changes that would be made */
	const struct rendered_options *options;
	struct progress progress; /* PROGRESS_QUIET: no summary */

	/* private: */
	size_t counts[OUTCOME_FAILED + 1];
	struct named_outcome *names; /* the names that are printed at the end */
	size_t name_count;
	uint32_t name_capacity;
	struct arena *arena; /* of `names`; NULL: there are none */
	struct unchecked_list unchecked;
	int result; /* -ENOMEM: `names` and `unchecked` are incomplete */
};

/* Functions for rendered_options and view_unchecked() (view.h); `context` is the render_report. */

/**
 * Erases the progress, then prints `line`. `problem` (may be NULL) has the same message in parts.
 * With --json, if `problem` is not NULL, prints `problem` instead of `line`.
 */
void render_report_log(void *context, const char *line, const struct problem *problem);

/** Notes the outcome of a name. */
void render_report_add(void *context, enum outcome outcome, const char *path, const char *why);

/** Notes the files of a check that can't be run. */
void render_report_add_unchecked(void *context, const struct view_unchecked *unchecked);

/** Prints the names and a summary, or the JSON. Returns EXIT_DONE; EXIT_FAILED: no memory. */
int render_report_end(struct render_report *report);
void render_report_fini(struct render_report *report);
