/*
 * The report of `plyfs check`: prints findings, for people or as JSON, and a summary. A finding
 * that several paths share is printed once. If check_report.host is set, check_report_end() prints
 * the findings, each with its hosts, and leaves out a warning about plyfs.yaml unless all hosts
 * have this warning.
 */
#pragma once

#include <stdbool.h>

#include "inspect.h"
#include "progress.h"
#include "table.h"
#include "unchecked_list.h"

struct reported_finding;

struct check_report {
	const struct settings *settings; /* to show lines of the sources; NULL: none are shown */
	bool is_strict;                  /* warnings are failures */
	/* PROGRESS_QUIET: the text has no summary, and has warnings only if `is_strict` */
	struct progress progress;
	/* the host that is checked (the text must outlive the report); NULL: this host */
	const char *host;

	bool is_begun;
	size_t hosts; /* number of hosts that were checked */

	/* private: */
	struct arena *arena;             /* of all findings; NULL: there is none yet */
	struct table entries;            /* from a finding's text to its struct reported_finding */
	struct reported_finding *stored; /* with `host`: the first finding, and the last one */
	struct reported_finding *last;
	size_t total;  /* number of files to check */
	size_t files;  /* number of files that were checked */
	size_t failed; /* number of files that do not merge */
	size_t errors;
	size_t warnings;
	size_t findings; /* number of findings that were written as JSON */

	struct unchecked_list unchecked; /* reported at the end */
};

/** Begins the report, or continues it with the next host, which has `count` files to check. */
void check_report_begin(struct check_report *report, size_t count);

/** Reports a finding about the merged file `path`; NULL: about none. Returns 0 or -ENOMEM. */
int check_report_add(struct check_report *report, const char *path, const struct finding *finding);

/** Reports a warning that concerns no file. `report` is a check_report. Returns 0 or -ENOMEM. */
int check_report_warn(void *report, const struct problem *problem);

/** Reports the findings of a file. Returns 0 or -ENOMEM. */
int check_report_file(
	struct check_report *report, const char *path, const struct findings *findings);

/** Ends the report with the summary. Returns the exit code of the command. */
int check_report_end(struct check_report *report);

void check_report_fini(struct check_report *report);
