/*
 * How much memory we may have: the cgroup's limit (cgroups(7), version 2).
 */
#pragma once

#include <stdint.h>

/**
 * The least memory.max of the cgroup that we are in and of those above it, in bytes; UINT64_MAX:
 * there is no limit, or none that we can see.
 */
uint64_t memory_max(void);

/**
 * The same by the text of /proc/self/cgroup in the file `membership`, with the hierarchy mounted at
 * `root`.
 */
uint64_t memory_max_in(const char *membership, const char *root);
