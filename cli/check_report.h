/*
 * The report of a check: findings as they come, for people or as JSON, and what they come to. The
 * same finding, which many paths may have in common, is told once. Where several hosts are checked,
 * it is told when the last one was, with the hosts that it is found on; and what is said of
 * plyfs.yaml, such as of a rule that matches nothing, only where it holds on all of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "inspect.h"
#include "progress.h"

struct reported_finding;

struct check_report {
	const struct settings *settings; /* for the lines of the sources; NULL: not shown */
	bool is_json;
	bool is_quiet;     /* errors alone are told, and nothing where there are none */
	bool is_strict;    /* warnings are failures */
	struct progress progress;
	const char
		*host; /* that is being checked; it lives as long as the report. NULL: this one */

	bool is_begun;
	size_t hosts; /* checked */

	/* private: */
	void *told; /* findings: a tsearch(3) tree of struct reported_finding */
	struct reported_finding *
		*kept; /* with hosts: the same in their order, to be told at the end */
	size_t kept_count;
	size_t kept_capacity;
	size_t total;  /* files to be checked */
	size_t files;  /* checked */
	size_t failed; /* files that do not merge */
	size_t errors;
	size_t warnings;
	size_t findings;  /* written as JSON */
	struct unchecked *unchecked; /* programs that are not there, in the order they were met */
	size_t unchecked_count;
	size_t unchecked_capacity;
};

/** Begins, or goes on with another host, with so many files to come. */
void check_report_begin(struct check_report *report, size_t count);

/** Tells a finding; `path` is the merged file that it concerns, NULL: none. 0 or -ENOMEM. */
int check_report_add(struct check_report *report, const char *path, const struct finding *finding);

/** Tells what was found of a file. 0 or -ENOMEM. */
int check_report_file(
	struct check_report *report, const char *path, const struct findings *findings);

/** The file could not be checked, as `program` "is not installed": `why`, which is static. */
int check_report_unchecked(
	struct check_report *report, const char *path, const char *program, const char *why);

/** The end: the summary. Returns the exit code. */
int check_report_end(struct check_report *report);

void check_report_fini(struct check_report *report);
