/*
 * The time slice (sched_setattr(2)): how long the kernel lets a process run while others are ready.
 * A forked process inherits the slice. Linux before 6.12 ignores it.
 */
#pragma once

#include <stdint.h>

/** Returns the process's time slice in nanoseconds; 0: the kernel does not say. */
uint64_t slice_get(void);

/** Sets the process's time slice in nanoseconds; 0: the kernel's default. */
void slice_set(uint64_t ns);
