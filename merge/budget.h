/*
 * A budget: how long reading a source, or one merge, may take, and a way to have it end at once.
 *
 * The time is that of the thread's processor: what a merge says must not depend on what else the
 * machine does. Whoever works long asks budget_is_spent() now and then. An arena that has a budget
 * asks it for each larger block, and gives no more memory when it is spent: so all that is filled
 * from an arena ends where a lack of memory would end it, and budget_result() says at last what it
 * was that was lacking.
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
	uint64_t time_ms;                /* 0: as long as it takes */
	uint64_t end_ns;                 /* CLOCK_THREAD_CPUTIME_ID */
	const atomic_bool *is_cancelled; /* NULL: nobody can */
	enum budget_state state;         /* what is spent stays so */
};

/** A budget from now on, of the calling thread. */
void budget_init(struct budget *budget, uint64_t time_ms, const atomic_bool *is_cancelled);

/** Whether there is nothing left. It costs a system call. NULL: there is no end. */
bool budget_is_spent(struct budget *budget);

/** When the thread did something else that has a budget of its own, from `since` until now. */
uint64_t budget_now_ns(void);
void budget_give_back(struct budget *budget, uint64_t since_ns);

/**
 * What `r`, the result of what had this budget, means: -ENOMEM with time that is spent is PROBLEM,
 * of `source`, and any failure of what was cancelled -ECANCELED. All else is `r` itself.
 */
int budget_result(const struct budget *budget, int r, const char *source, struct problem *problem);
