/*
 * The report of `plyfs check`: prints findings as they come, for people or as JSON, and a summary.
 * A finding that many paths share is printed once. If several hosts are checked, findings are
 * printed after the last host, each with its hosts. In this case a warning about plyfs.yaml, for
 * example about a rule that matches nothing, is printed only if all hosts have it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "inspect.h"
#include "progress.h"
#include "unchecked_list.h"

struct reported_finding;

struct check_report {
	const struct settings *settings; /* to show lines of the sources; NULL: none are shown */
	bool is_json;
	bool is_quiet;  /* unless is_json: no summary, and warnings only if `is_strict` */
	bool is_strict; /* warnings are failures */
	struct progress progress;
	/* the host being checked (the text must outlive the report); NULL: this host */
	const char *host;

	bool is_begun;
	size_t hosts; /* number of hosts that were checked */

	/* private: */
	void *entries; /* findings: a tsearch(3) tree of struct reported_finding */
	/* if hosts are given: the findings in order, to be printed at the end */
	struct reported_finding **stored;
	size_t stored_count;
	size_t stored_capacity;
	size_t total;  /* number of files to check */
	size_t files;  /* number of files that were checked */
	size_t failed; /* number of files that do not merge */
	size_t errors;
	size_t warnings;
	size_t findings; /* number of findings that were written as JSON */

	struct unchecked_list unchecked; /* reported at the end */
};

/**
 * Begins the report, or continues it with a further host. `count` is the number of files to check.
 */
void check_report_begin(struct check_report *report, size_t count);

/**
 * Reports a finding. `path` is the merged file that it concerns, NULL: none. Returns 0 or -ENOMEM.
 */
int check_report_add(struct check_report *report, const char *path, const struct finding *finding);

/** Reports a warning that concerns no file. `report` is a check_report. Returns 0 or -ENOMEM. */
int check_report_warn(void *report, const struct problem *problem);

/** Reports the findings of a file. Returns 0 or -ENOMEM. */
int check_report_file(
	struct check_report *report, const char *path, const struct findings *findings);

/** Prints the findings that were stored, and the summary. Returns the exit code. */
int check_report_end(struct check_report *report);

void check_report_fini(struct check_report *report);
