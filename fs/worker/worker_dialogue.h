/*
 * The dialogue with one worker that has a job: the worker's questions are answered until it sends
 * the answer to the job.
 */
#pragma once

#include "worker.h"
#include "worker_process.h"

/* How long a worker that has closed its socket may take to end. */
#define WORKER_END_MS 1000

/* How many workers try to do a job, one after the other, if they stand still at once. */
#define WORKER_STARTS 5

/* A worker process, in the daemon. `lock` is that of struct workers. */
struct worker {
	pid_t pid;  /* 0: not forked */
	int socket; /* to it */
	int pidfd;  /* -1: the kernel gives none */
	struct worker_page *page;
	struct settings *settings; /* of the time of its fork; one reference */
	dev_t file_system;         /* lock; that its job may wait for; 0: none is known */
	int64_t since_ms;          /* lock; clock_ms() when it was given its job */
	bool is_busy;              /* lock */
	bool is_kept;              /* lives on after its job */
	struct worker *next;
};

bool worker_job_is_cancelled(const struct worker_job *job);

/**
 * Gives the worker the job, and waits for its answer. Returns as workers_run(), or -EAGAIN: another
 * worker should try the job; not with `is_last`. *can_go_on: the worker may be given another job;
 * false: its state is unknown.
 */
int worker_do(const struct worker *worker, const struct worker_job *job, bool is_last,
	struct worker_answer *ret, bool *can_go_on, struct problem *problem);
