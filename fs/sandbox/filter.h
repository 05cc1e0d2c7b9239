/* The filter of system calls (seccomp(2)). A forbidden call fails with EPERM. */
#pragma once

#include "sandbox.h"

/* Positive result: plyfs was built without libseccomp. */
#define FILTER_NOT_BUILT 1

/**
 * Forbids this process the system calls that `process` does not need. Looks up no path. Returns 0;
 * FILTER_NOT_BUILT; -EOPNOTSUPP: the kernel has no filters; or another -errno.
 */
int filter_enter(enum sandbox_process process);

/** Makes the filter for workers, once. Call it before the fork. Returns as filter_enter(). */
int filter_prepare_worker(void);

/**
 * In a worker: does filter_prepare_worker(), and enters the filter. From then on the worker can't
 * read from `watches`, the daemon's descriptor of inotify(7), nor from any greater descriptor; -1:
 * it can read from all. Returns as filter_enter().
 */
int filter_enter_worker(int watches);
