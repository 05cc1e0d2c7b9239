#include "budget.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

#define NS_PER_MS 1000000u

/* The wall time at a budget's start in which no clock of processor time is read. All of it counts
 * as used. */
#define UNSEEN_NS NS_PER_MS

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000 * NS_PER_MS + (uint64_t)now.tv_nsec;
}

void budget_init(struct budget *budget, uint64_t time_ms, const atomic_bool *is_cancelled)
{
	*budget = (struct budget){.time_ms = time_ms, .is_cancelled = is_cancelled};
	if (time_ms)
		budget->begin_ns = read_clock(CLOCK_MONOTONIC);
}

static bool is_time_up(struct budget *budget)
{
	if (!budget->end_ns && read_clock(CLOCK_MONOTONIC) - budget->begin_ns < UNSEEN_NS)
		return false;
	uint64_t now = read_clock(CLOCK_THREAD_CPUTIME_ID);
	if (!budget->end_ns)
		budget->end_ns = now + budget->time_ms * NS_PER_MS - UNSEEN_NS;
	return now > budget->end_ns;
}

bool budget_is_spent(struct budget *budget)
{
	if (!budget || budget->state != BUDGET_LEFT)
		return budget;
	if (budget->is_cancelled &&
		atomic_load_explicit(budget->is_cancelled, memory_order_relaxed))
		budget->state = BUDGET_CANCELLED;
	else if (budget->time_ms && is_time_up(budget))
		budget->state = BUDGET_SPENT;
	return budget->state != BUDGET_LEFT;
}

static uint64_t now_of(const struct budget *budget)
{
	return read_clock(budget->end_ns ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}

uint64_t budget_pause(const struct budget *budget)
{
	return budget->time_ms ? now_of(budget) : 0;
}

void budget_resume(struct budget *budget, uint64_t paused_ns)
{
	if (budget->end_ns)
		budget->end_ns += now_of(budget) - paused_ns;
	else if (budget->time_ms)
		budget->begin_ns += now_of(budget) - paused_ns;
}

int budget_result(const struct budget *budget, int r, const char *source, struct problem *problem)
{
	if (r != 0 && budget->state == BUDGET_CANCELLED)
		return -ECANCELED;
	if (r != -ENOMEM || budget->state == BUDGET_LEFT)
		return r;
	return problem_set(problem, source, 0, 0,
		"takes longer than %" PRIu64 " ms; make it smaller or simpler, or raise the limit "
		"'time'",
		budget->time_ms);
}
