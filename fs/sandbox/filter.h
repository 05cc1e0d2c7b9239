/*
 * The filter of system calls (seccomp(2)), by libseccomp. A forbidden call fails with EPERM, and
 * the process goes on: a library that tries a new call must not end a mount.
 */
#pragma once

#include "sandbox.h"

/* Positive result: plyfs was built without libseccomp. */
#define FILTER_NOT_BUILT 1

/**
 * Forbids all threads the system calls that the process does not need. It can still kill helpers
 * (helper.h) and continue them. Looks up no path. Returns 0; FILTER_NOT_BUILT; -EOPNOTSUPP: the
 * kernel has no filters; or another -errno.
 */
int filter_enter(enum sandbox_process process);

/**
 * Makes the filter for the workers that this process will fork. Returns 0; FILTER_NOT_BUILT or
 * -EOPNOTSUPP: workers have no filter; or another -errno.
 */
int filter_prepare_worker(void);

/**
 * In a worker: enters the filter, if one was made. `watches` is the daemon's descriptor of
 * inotify(7); -1: the worker has none. Returns 0 or -errno.
 */
int filter_enter_worker(int watches);
