#include "affinity.h"

/* The calling thread's own view of `gathers`. */
static _Thread_local int followed;

void affinity_init(struct affinity *affinity)
{
	affinity->is_known = sched_getaffinity(0, sizeof(affinity->home), &affinity->home) == 0;
	affinity->is_gathered = false;
	atomic_init(&affinity->gathers, 0);
}

/* Where it is refused, threads run where they ran: slower, no more. */
static void go_to(const struct affinity *affinity, int gathers)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	if (gathers > 0)
		CPU_SET((size_t)gathers - 1, &one);
	sched_setaffinity(0, sizeof(one), gathers > 0 ? &one : &affinity->home);
}

void affinity_gather(struct affinity *affinity)
{
	int cpu = affinity->is_known && !affinity->is_gathered ? sched_getcpu() : -1;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return;
	affinity->is_gathered = true;
	go_to(affinity, cpu + 1);
	atomic_store(&affinity->gathers, cpu + 1);
}

void affinity_scatter(struct affinity *affinity)
{
	if (!affinity->is_gathered)
		return;
	affinity->is_gathered = false;
	atomic_store(&affinity->gathers, 0);
	go_to(affinity, 0);
}

void affinity_follow(struct affinity *affinity)
{
	int gathers = atomic_load_explicit(&affinity->gathers, memory_order_relaxed);

	if (gathers == followed)
		return;
	followed = gathers;
	go_to(affinity, gathers);
}
