/*
 * The job of `plyfs merge`: what the command line asks for, and one merge of it, or one after the
 * other.
 */
#pragma once

#include "data_search.h"
#include "input.h"
#include "set_option.h"
#include "validity.h"

struct strategy;

struct merge_job {
	const struct strategy *strategy;
	struct set_options set;
	struct set_options limits_set;
	struct limits limits;
	const struct format *to; /* NULL: as the files are */
	enum node_schema yaml;   /* of the files that don't say it */
	const char *schema; /* the file that the result must be as; NULL: any result will do */
	bool has_header;
	const atomic_bool *is_cancelled; /* merging is to end; NULL: it never is */
	char **files; /* [NAME=]FILE, lowest precedence first, ends with NULL */

	/* Of the last merge: */
	struct inputs inputs;
	struct data_search search;
	struct merge_result *result; /* NULL: it failed */
	struct validity validity;    /* what its schema does not allow */
};

/**
 * Reads the files and merges them, once more when it was done before. The last result is freed.
 * Returns 0 with `job->result`, PROBLEM or -errno.
 */
int merge_job_run(struct merge_job *job, struct problem *problem);

/** What is written, once the files are read: the format that all have, if they agree. */
const struct format *merge_job_format(const struct merge_job *job);

/** Complains, with the line that the problem is in. Returns EXIT_FAILED. */
int merge_job_complain(const struct merge_job *job, int result, const struct problem *problem);

void merge_job_fini(struct merge_job *job);
