/* The memory that this process may use, by its cgroup's limit (cgroups(7), version 2), and uses. */
#pragma once

#include <stdint.h>

/**
 * Returns the lowest memory.max of this process's cgroup and those above it, in bytes; UINT64_MAX:
 * there is no limit, or none is visible.
 */
uint64_t memory_max(void);

/**
 * As memory_max(), with the file `membership` instead of /proc/self/cgroup, and the hierarchy of
 * cgroups that is mounted at `root`.
 */
uint64_t memory_max_in(const char *membership, const char *root);

/**
 * Gives the system back the pages of the stack that former calls have used, below the caller's
 * frame. Call it on the process's first stack: beneath that is a gap of 1 MiB in which nothing is
 * mapped.
 */
void memory_drop_stack(void);
