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
	uint64_t time_ms;  /* 0: no limit */
	uint64_t begin_ns; /* by CLOCK_MONOTONIC, which needs no system call */
	/* when the time is up, by CLOCK_THREAD_CPUTIME_ID; 0: unknown, in the first millisecond */
	uint64_t end_ns;
	const atomic_bool *is_cancelled; /* set to cancel the work; NULL: it can't be cancelled */
	enum budget_state state;         /* SPENT and CANCELLED are final */
};

/** Starts a budget: `time_ms` of the calling thread's processor time from now on; 0: no limit. */
void budget_init(struct budget *budget, uint64_t time_ms, const atomic_bool *is_cancelled);

/**
 * Returns whether the budget is spent or cancelled; false for NULL. Makes a system call if there is
 * a time limit and a millisecond has passed: most merges take less.
 */
bool budget_is_spent(struct budget *budget);

/**
 * Begins a pause: the work until budget_resume() costs nothing. Returns the time that
 * budget_resume() needs.
 */
uint64_t budget_pause(const struct budget *budget);

/** Ends the pause. budget_is_spent() must not have been called in it. */
void budget_resume(struct budget *budget, uint64_t paused_ns);

/**
 * Translates `r`, the result of work under this budget. If the time is spent, -ENOMEM becomes
 * PROBLEM, reported for `source`. If the work was cancelled, any failure becomes -ECANCELED. All
 * other results stay.
 */
int budget_result(const struct budget *budget, int r, const char *source, struct problem *problem);
