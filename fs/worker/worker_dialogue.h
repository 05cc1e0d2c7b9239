/*
 * The dialogue with one worker, while it has a job: what it asks is answered, until it answers.
 */
#pragma once

#include "worker.h"
#include "worker_process.h"

/* How long a worker that has closed its socket may take to end. */
#define WORKER_END_MS 1000

/* How many workers try to do a job, one after the other, if they stand still at once. */
#define WORKER_STARTS 5

/* A process, as the daemon knows it. Locks are worker.c's. */
struct worker {
	pid_t pid;  /* 0: not forked */
	int socket; /* to it */
	int pidfd;  /* -1: the kernel gives none */
	struct worker_page *page;
	struct settings *settings; /* that it has; one reference */
	dev_t file_system;         /* lock; of its job; 0: none is known */
	int64_t since_ms;          /* lock; clock_ms() when it was given that */
	bool is_busy;              /* lock */
	int64_t busy_since_ms;     /* lock; clock_ms() when it was given its job */
	bool is_kept;              /* lives on after its job */
	struct worker *next;
};

/**
 * Has it do the job. Returns as workers_run(), or -EAGAIN: another worker should try, unless
 * this is the last. *can_go_on: it may be given another job; else nothing is known of what it does.
 */
int worker_do(const struct worker *worker, const struct worker_job *job, bool is_last,
	struct worker_answer *ret, bool *can_go_on, struct problem *problem);
