/*
 * A budget: the time that reading one source or doing one merge may take, and a flag that cancels
 * this work.
 *
 * Time is the processor time of the thread. Code that works long calls budget_is_spent() now and
 * then. An arena checks its budget before it makes a block of 32 KiB or more. If the budget is
 * spent, the allocation fails, and the work returns -ENOMEM. budget_result() distinguishes a spent
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
	uint64_t begin_ns; /* the start, by CLOCK_MONOTONIC; used until `end_ns` is computed */
	uint64_t end_ns;   /* the end, by CLOCK_THREAD_CPUTIME_ID; 0: not computed yet */
	const atomic_bool *is_cancelled; /* true: the work is cancelled; NULL: it never is */
	enum budget_state state;         /* SPENT and CANCELLED are final */
};

/**
 * Starts a budget of `time_ms` (0: no limit) of the calling thread's processor time. The budget
 * borrows `is_cancelled`, which may be NULL.
 */
void budget_init(struct budget *budget, uint64_t time_ms, const atomic_bool *is_cancelled);

/** Returns whether the budget is spent or cancelled; false for NULL. */
bool budget_is_spent(struct budget *budget);

/** Begins a pause: its time does not count. Returns `paused_ns` for budget_resume(). */
uint64_t budget_pause(const struct budget *budget);

/** Ends the pause. The caller must not have called budget_is_spent() during the pause. */
void budget_resume(struct budget *budget, uint64_t paused_ns);

/**
 * Translates `r`, the result of work under this budget. If the time is spent, turns -ENOMEM into
 * PROBLEM, and fills `problem`, with `source` as its source. If the work was cancelled, turns any
 * failure into -ECANCELED. Returns all other results as they are.
 */
int budget_result(const struct budget *budget, int r, const char *source, struct problem *problem);
