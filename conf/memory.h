/* The memory of this process: the limit of its cgroup (cgroups(7), version 2), and its stack. */
#pragma once

#include <stdint.h>

/**
 * Returns the lowest memory.max of this process's cgroup and the cgroups above it, in bytes;
 * UINT64_MAX: there is no limit, or none is visible.
 */
uint64_t memory_max(void);

/** Does the same with `membership` and `root` in place of /proc/self/cgroup and /sys/fs/cgroup. */
uint64_t memory_max_in(const char *membership, const char *root);

/**
 * Gives the 512 KiB of stack below the caller's frame back to the system. Call it in the first
 * thread, outside of coroutines: the memory below any other stack may be in use.
 */
void memory_drop_stack(void);
