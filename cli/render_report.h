/*
 * The report of a rendering: progress on a terminal, and at the end what came of the files, for
 * people or as JSON.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "progress.h"
#include "rendered.h"

struct told_name;

struct render_report {
	bool is_json;
	bool is_quiet; /* no summary */
	bool is_dry;   /* nothing was changed: what would be is told */
	struct progress progress;

	/* private: */
	size_t counts[OUTCOME_FAILED + 1];
	struct told_name *names; /* those that are printed at the end */
	size_t name_count;
	size_t name_capacity;
	bool has_failed; /* for lack of memory */
};

void render_report_begin(struct render_report *report);

/** A message, before which the progress is erased. By any thread. */
void render_report_log(struct render_report *report, const char *line);

/** What came of a name: rendered_options' `tell`. By one thread at a time. */
void render_report_tell(
	struct render_report *report, enum outcome outcome, const char *path, const char *why);

/** The end of the progress. */
void render_report_hide(struct render_report *report);

/** The end: names and summary, or the JSON. Returns EXIT_DONE, or EXIT_FAILED without memory. */
int render_report_end(struct render_report *report);
void render_report_fini(struct render_report *report);
