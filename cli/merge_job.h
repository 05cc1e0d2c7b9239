/* The job of `plyfs merge`: the command line's parameters, and the merge with them. */
#pragma once

#include "data_search.h"
#include "input.h"
#include "settings.h"
#include "typed_value.h"
#include "validity.h"

struct strategy;

struct merge_job {
	const struct strategy *strategy;
	struct node *set; /* of --set: the strategy's options; NULL: none was given */
	struct limits limits;
	struct node *limits_set;          /* the limits that --limit has set; NULL: none */
	struct arena *arena;              /* of `set` and `limits_set`; NULL: there is none yet */
	struct typed_documents documents; /* of the values in `set` and `limits_set` */
	const struct format *to;          /* NULL: the files' own format */
	enum node_schema yaml;            /* the YAML version of files that name none */
	const char *schema; /* the file with the schema of the result; NULL: any result is valid */
	const char **schema_refs; /* files that the schema refers to; ends with NULL */
	size_t schema_ref_count;
	bool validates_formats; /* the schema's `format` keywords are checked */
	bool has_header;
	char **files; /* [NAME=]FILE, lowest precedence first, ends with NULL */

	/* of the merge: */
	struct settings *schemas; /* the files of the schema; NULL: none was read */
	struct inputs inputs;
	struct data_search search;
	struct merge_result *result; /* NULL: the merge failed */
	struct validity validity;    /* the places where the result violates `schema` */
};

/**
 * Sets NAME to VALUE, which is YAML, in the map at `map` (&job->set or &job->limits_set).
 * `argument` is "NAME=VALUE". Messages call the option `option`, such as "--set". Returns 0,
 * PROBLEM or -ENOMEM.
 */
int merge_job_set(struct merge_job *job, struct node **map, const char *option,
	const char *argument, struct problem *problem);

/**
 * Reads the files, merges them and validates the result. May be called once. Returns 0 with job->result; PROBLEM if a step fails, or the result is not valid; or -errno.
 */
int merge_job_run(struct merge_job *job, struct problem *problem);

/** Reports `result`, a failure of merge_job_run(); for PROBLEM, `problem`. Returns EXIT_FAILED. */
int merge_job_complain(const struct merge_job *job, int result, const struct problem *problem);

void merge_job_fini(struct merge_job *job);
