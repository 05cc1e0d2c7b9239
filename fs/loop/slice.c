#include "slice.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* SCHED_FLAG_KEEP_POLICY, which not every libc's headers have: the policy does not change. */
#define KEEP_POLICY 0x08

struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

uint64_t slice_get(void)
{
	struct attributes attributes = {0};
	long r = syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0);

	return r == 0 ? attributes.runtime_ns : 0;
}

void slice_set(uint64_t ns)
{
	const struct attributes attributes = {.size = sizeof(attributes),
		.flags = KEEP_POLICY,
		.nice = getpriority(PRIO_PROCESS, 0),
		.runtime_ns = ns};

	syscall(SYS_sched_setattr, 0, &attributes, 0);
}
