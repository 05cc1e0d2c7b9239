/*
 * Failed jobs: which jobs have failed with a worker, and how often. A job that fails again and
 * again is not tried any more until its sources change. The caller holds a lock.
 */
#pragma once

#include "worker.h"

struct failed_jobs {
	struct failed_job *first; /* the newest first */
	unsigned count;
};

void failed_jobs_fini(struct failed_jobs *jobs);

/**
 * Returns 0 if the job may be tried; or its last result and problem, if it has failed too often, or
 * has waited for a file system a moment ago.
 */
int failed_jobs_refuse(
	const struct failed_jobs *jobs, const struct worker_job *job, struct problem *problem);

/** Notes a failure: PROBLEM or -ETIMEDOUT. Does nothing without memory. */
void failed_jobs_add(struct failed_jobs *jobs, const struct worker_job *job, int result,
	const struct problem *problem);

/** Notes a success. */
void failed_jobs_remove(struct failed_jobs *jobs, const struct worker_job *job);
