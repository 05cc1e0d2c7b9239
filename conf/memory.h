/* The memory that this process may use: its cgroup's limit (cgroups(7), version 2). */
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
