#include "failed_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

/* Failed jobs that are remembered. */
#define JOBS_MAX 64

/* Failures with the same sources after which a job is not tried again. */
#define TRIES 3

/* The most milliseconds for which a job is not tried again while its worker stands still. */
#define AGAIN_MS 30000

struct failed_job {
	struct failed_job *next;
	worker_task *task;
	uint64_t state;   /* of its sources */
	unsigned count;   /* failures with these sources */
	int result;       /* of the last failure, as are the fields below */
	int64_t again_ms; /* CLOCK_MONOTONIC; after -ETIMEDOUT, no try before it */
	struct problem problem;
	char path[];
};

/* Returns the pointer to the job; if there is none, the last pointer, which is NULL. */
static struct failed_job **find(struct failed_job **at, const struct worker_job *job)
{
	while (*at && ((*at)->task != job->task || strcmp((*at)->path, job->path) != 0))
		at = &(*at)->next;
	return at;
}

static void drop(struct failed_jobs *jobs, struct failed_job **at)
{
	struct failed_job *failed = *at;

	*at = failed->next;
	free(failed);
	jobs->count--;
}

void failed_jobs_fini(struct failed_jobs *jobs)
{
	while (jobs->first)
		drop(jobs, &jobs->first);
}

int failed_jobs_refuse(const struct failed_jobs *jobs, const struct worker_job *job,
	bool stands_still, struct problem *problem)
{
	struct failed_job *first = jobs->first;
	const struct failed_job *failed = *find(&first, job);

	if (!failed || failed->state != job->state)
		return 0;
	bool is_waiting = failed->result == -ETIMEDOUT;
	if (is_waiting ? !stands_still || clock_ms() >= failed->again_ms : failed->count < TRIES)
		return 0;
	*problem = failed->problem;
	return failed->result;
}

static struct failed_job *add_new(struct failed_jobs *jobs, const struct worker_job *job)
{
	size_t size = strlen(job->path) + 1;
	struct failed_job *failed = calloc(1, sizeof(*failed) + size);
	struct failed_job **at = &jobs->first;

	if (!failed)
		return NULL;
	failed->task = job->task;
	memcpy(failed->path, job->path, size);
	failed->next = jobs->first;
	jobs->first = failed;
	if (++jobs->count <= JOBS_MAX)
		return failed;
	while ((*at)->next)
		at = &(*at)->next;
	drop(jobs, at);
	return failed;
}

void failed_jobs_add(struct failed_jobs *jobs, const struct worker_job *job, int result,
	const struct problem *problem)
{
	struct failed_job *failed = *find(&jobs->first, job);

	if (!failed)
		failed = add_new(jobs, job);
	if (!failed)
		return;
	failed->count = failed->state == job->state ? failed->count + 1 : 1;
	failed->state = job->state;
	failed->result = result;
	failed->again_ms = clock_ms() + AGAIN_MS;
	failed->problem = *problem;
}

void failed_jobs_forget(struct failed_jobs *jobs, const char *path, worker_task *task)
{
	for (struct failed_job **at = &jobs->first; *at;)
		if ((!task || (*at)->task == task) && strcmp((*at)->path, path) == 0)
			drop(jobs, at);
		else
			at = &(*at)->next;
}
