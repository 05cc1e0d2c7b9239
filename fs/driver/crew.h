/*
 * Crew: the driver's threads, and how they get the processor.
 *
 * A change is half a dozen requests, one after the other, between the publisher and a thread that
 * answers, each of some microseconds. What the scheduler does between them can take milliseconds:
 *
 *  - An idle processor has to be woken, in a virtual machine by its host. So while there is
 *    something to publish, all gather on the publisher's processor, where one hands over to the
 *    next, and are back where they may run when it is done.
 *  - Who has had his share waits until the clock ticks (every 4 ms, as a rule) for whoever else
 *    wants the processor. So where it is allowed they are real-time threads, of the lowest priority
 *    (SCHED_RR 1), as a kernel's file system answers before its caller goes on; but only for
 *    CREW_BUDGET_US in each CREW_WINDOW_MS, all together: beyond that, in a batch, and everywhere
 *    else, they are ordinary ones that ask for short turns (sched_setattr(2), Linux 6.12).
 *  - A large merge is nobody's to wait for: the kernel tells a real-time thread that computes for
 *    longer than CREW_TURN_US (getrlimit(2), RLIMIT_RTTIME), which is an ordinary one from then on.
 *
 * What runs over the budget is taken off that of the windows that follow. A process that was given
 * a policy of its own (chrt(1), CPUSchedulingPolicy=) keeps it, and a thread with a nice value
 * above 0 becomes no real-time one.
 */
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CREW_WINDOW_MS 16
#define CREW_BUDGET_US 4000

/* The kernel counts ticks: 8 to 12 ms where there are 250 a second. */
#define CREW_TURN_US 5000

/* Threads beyond these run as they like. */
#define CREW_MAX 16

struct crew {
	cpu_set_t home;           /* the publisher's, once it runs; where all may run */
	bool has_home;            /* fixed */
	bool is_left_alone;       /* fixed; its policy is somebody else's choice */
	atomic_bool is_realtime;  /* wanted, and not refused */
	atomic_bool is_batch;     /* what is being published comes in numbers */
	_Atomic uint64_t spent;   /* the window's number << 32 | microseconds, old debts included */
	bool is_gathered;         /* the publisher's */
	pthread_key_t membership; /* ends it with the thread */
	pthread_mutex_t lock;
	cpu_set_t place;         /* lock; where all run now */
	pid_t members[CREW_MAX]; /* lock; threads */
	size_t count;            /* lock */
};

/** Before there are threads. Returns 0, or -errno for no crew. */
int crew_init(struct crew *crew, bool wants_realtime);

/** After the last of them. */
void crew_fini(struct crew *crew);

/** For each thread of the driver, at each request or change that it begins with. */
void crew_begin(struct crew *crew);

/** For each thread of the driver, when that is done: what it took of the budget is counted. */
void crew_end(struct crew *crew);

/** For the publisher: one change comes after the other, until crew_rest(). */
void crew_batch(struct crew *crew);

/** For the publisher, when nothing is left to do: what wakes it may be urgent. */
void crew_rest(struct crew *crew);

/** For the publisher, around what it publishes; either may come again. */
void crew_gather(struct crew *crew);
void crew_scatter(struct crew *crew);
