/*
 * Failed jobs: the jobs at which workers have failed, and how often. After three failures with the
 * same sources a job is refused until its sources change. After a timeout it is refused for 30 s.
 */
#pragma once

#include "worker.h"

struct failed_jobs {
	struct failed_job *first; /* the newest first */
	unsigned count;
};

void failed_jobs_fini(struct failed_jobs *jobs);

/**
 * Returns 0 if the job may be tried. Otherwise returns the last result of the job, with its
 * problem.
 */
int failed_jobs_refuse(
	const struct failed_jobs *jobs, const struct worker_job *job, struct problem *problem);

/** Notes a failure: PROBLEM or -ETIMEDOUT. Does nothing if memory is short. */
void failed_jobs_add(struct failed_jobs *jobs, const struct worker_job *job, int result,
	const struct problem *problem);

/** Notes a success: forgets the job's failures. */
void failed_jobs_remove(struct failed_jobs *jobs, const struct worker_job *job);
