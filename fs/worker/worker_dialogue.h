/* The dialogue with a worker that has a job: the daemon answers the worker's questions. */
#pragma once

#include "worker.h"
#include "worker_process.h"

/* How long a worker that has closed its socket may take to end. */
#define WORKER_END_MS 1000

/* A worker process, in the daemon. */
struct worker {
	pid_t pid;  /* 0: not forked */
	int socket; /* the daemon's end */
	int pidfd;  /* -1: the kernel has none */
	struct worker_page *page;
	struct settings *settings; /* in force when it was forked; one reference */
	dev_t file_system;         /* of its job (worker_job.file_system); 0: none */
	uint64_t state;            /* of its job (worker_job.state); 0: none */
	int64_t since_ms;          /* clock_ms() when it got its job */
	unsigned jobs;             /* number of jobs that it got */
	bool is_busy;
	struct worker *next;
};

bool worker_job_is_cancelled(const struct worker_job *job);

/**
 * Gives the worker the job, and waits for the answer. Returns as workers_run(); or -ESRCH: the
 * worker had already ended before this job, or is suspended (SIGSTOP). If *can_go_on is false, the
 * worker must not get another job.
 */
int worker_do(const struct worker *worker, const struct worker_job *job, struct worker_answer *ret,
	bool *can_go_on, struct problem *problem);
