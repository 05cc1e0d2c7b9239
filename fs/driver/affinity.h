/*
 * Affinity: where the driver's threads run while there is much to publish.
 *
 * Each change is half a dozen requests, one after the other, between the publisher and a thread
 * that answers. On two processors every one of them wakes the other processor up, which takes longer
 * than the answer; on one it is a switch of threads. So for a batch they gather on the publisher's
 * processor, and go back to where they may run when it is over.
 */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct affinity {
	cpu_set_t home;     /* fixed; where all may run */
	bool is_known;      /* fixed; `home` is */
	bool is_gathered;   /* the publisher's */
	atomic_int gathers; /* the processor + 1; 0: none */
};

/** Before there are threads. */
void affinity_init(struct affinity *affinity);

/** For the publisher, at the start and the end of a batch; either may come again. */
void affinity_gather(struct affinity *affinity);
void affinity_scatter(struct affinity *affinity);

/** For a thread that answers requests, at each one. */
void affinity_follow(struct affinity *affinity);
