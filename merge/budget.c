#include "budget.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

#define NS_PER_MS 1000000u

uint64_t budget_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000 * NS_PER_MS + (uint64_t)now.tv_nsec;
}

void budget_init(struct budget *budget, uint64_t time_ms, const atomic_bool *is_cancelled)
{
	*budget = (struct budget){.time_ms = time_ms, .is_cancelled = is_cancelled};
	if (time_ms)
		budget->end_ns = budget_now_ns() + time_ms * NS_PER_MS;
}

bool budget_is_spent(struct budget *budget)
{
	if (!budget || budget->state != BUDGET_LEFT)
		return budget;
	if (budget->is_cancelled &&
		atomic_load_explicit(budget->is_cancelled, memory_order_relaxed))
		budget->state = BUDGET_CANCELLED;
	else if (budget->time_ms && budget_now_ns() > budget->end_ns)
		budget->state = BUDGET_SPENT;
	return budget->state != BUDGET_LEFT;
}

void budget_give_back(struct budget *budget, uint64_t since_ns)
{
	if (budget->time_ms)
		budget->end_ns += budget_now_ns() - since_ns;
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
