/*
 * A budget: the time that reading one source or doing one merge may take, and a flag that cancels
 * this work.
 *
 * Time is the processor time of the thread, as the outcome of a merge must not depend on other work
 * of the machine. Code that works long calls budget_is_spent() now and then. An arena checks its
 * budget before it makes a block of 32 KiB or more. If the budget is spent, the allocation fails as
 * if there were no memory, and the work returns -ENOMEM. budget_result() distinguishes a spent
 * budget from a lack of memory.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "problem.h"

enum budget_state {
	BUDGET_LEFT,
	BUDGET_SPENT,
	BUDGET_CANCELLED,
};

struct budget {
	uint64_t time_ms;                /* 0: no limit */
	uint64_t end_ns;                 /* when the time is up, by CLOCK_THREAD_CPUTIME_ID */
	const atomic_bool *is_cancelled; /* set to cancel the work; NULL: it can't be cancelled */
	enum budget_state state;         /* SPENT and CANCELLED are final */
};

/** Starts a budget: `time_ms` of the calling thread's processor time from now on; 0: no limit. */
void budget_init(struct budget *budget, uint64_t time_ms, const atomic_bool *is_cancelled);

/**
 * Returns whether the budget is spent or cancelled; false for NULL. Makes a system call if there is
 * a time limit.
 */
bool budget_is_spent(struct budget *budget);

/** Returns the processor time that the calling thread has used so far. */
uint64_t budget_now_ns(void);

/** Extends the budget by the processor time since `since_ns`, a result of budget_now_ns(). */
void budget_give_back(struct budget *budget, uint64_t since_ns);

/**
 * Translates `r`, the result of work under this budget. If the time is spent, -ENOMEM becomes
 * PROBLEM, reported for `source`. If the work was cancelled, any failure becomes -ECANCELED. All
 * other results stay.
 */
int budget_result(const struct budget *budget, int r, const char *source, struct problem *problem);
