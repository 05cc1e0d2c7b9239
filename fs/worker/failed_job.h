/*
 * Failed jobs: the jobs at which workers have failed. If a job's last failure was a timeout, the
 * job is refused until the worker that stood still has ended, but for at most 30 s. Such a worker
 * ends when its file system answers. Any other job is refused after three failures. A refused job
 * may be tried again if its sources, its dependencies or the settings change.
 */
#pragma once

#include "worker.h"

struct failed_jobs {
	struct failed_job *first; /* the newest first */
	unsigned count;
};

void failed_jobs_fini(struct failed_jobs *jobs);

/**
 * Returns 0 if the job may be tried; or the result of its last failure, with `problem`.
 * `stands_still`: a worker that stood still at a job with the same worker_job.state has not ended
 * yet.
 */
int failed_jobs_refuse(const struct failed_jobs *jobs, const struct worker_job *job,
	bool stands_still, struct problem *problem);

/** Notes a failure; `result`: PROBLEM or -ETIMEDOUT. Does nothing if memory is short. */
void failed_jobs_add(struct failed_jobs *jobs, const struct worker_job *job, int result,
	const struct problem *problem);

/** Forgets the failures of the job with this path and task; NULL: of all jobs with this path. */
void failed_jobs_forget(struct failed_jobs *jobs, const char *path, worker_task *task);
