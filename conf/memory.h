/*
 * The memory of this process: the limit that its cgroup sets (cgroups(7), version 2), and unused
 * pages of its stack.
 */
#pragma once

#include <stdint.h>

/**
 * Returns the lowest memory.max of this process's cgroup and the cgroups above it, in bytes;
 * UINT64_MAX: there is no limit, or none is visible.
 */
uint64_t memory_max(void);

/**
 * As memory_max(), with the file `membership` instead of /proc/self/cgroup, and the hierarchy of
 * cgroups that is mounted at `root`.
 */
uint64_t memory_max_in(const char *membership, const char *root);

/**
 * Gives the 512 KiB of stack below the caller's frame, which former calls may have used, back to
 * the system. Call it only on the process's first stack, not in a coroutine or another thread.
 * Below any other stack, there may be memory in use.
 */
void memory_drop_stack(void);
