/*
 * Failed jobs: the jobs at which workers have failed. If a job's last failure was a timeout, the
 * job is refused for 30 s. Any other job is refused after three failures. If the sources of a
 * refused job change, the job may be tried again.
 */
#pragma once

#include "worker.h"

struct failed_jobs {
	struct failed_job *first; /* the newest first */
	unsigned count;
};

void failed_jobs_fini(struct failed_jobs *jobs);

/** Returns 0 if the job may be tried; or the result of its last failure, with `problem`. */
int failed_jobs_refuse(
	const struct failed_jobs *jobs, const struct worker_job *job, struct problem *problem);

/** Notes a failure; `result`: PROBLEM or -ETIMEDOUT. Does nothing if memory is short. */
void failed_jobs_add(struct failed_jobs *jobs, const struct worker_job *job, int result,
	const struct problem *problem);

/** Forgets the job's failures, as it has succeeded. */
void failed_jobs_remove(struct failed_jobs *jobs, const struct worker_job *job);
