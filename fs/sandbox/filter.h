/*
 * The filter of system calls (seccomp(2)), by libseccomp. A forbidden call fails with EPERM, and
 * the process goes on: a library that tries a new call must not end a mount.
 */
#pragma once

#include "sandbox.h"

/* Positive result: plyfs was built without libseccomp. */
#define FILTER_NOT_BUILT 1

/**
 * Forbids the process the system calls that it does not need. Looks up no path. Returns 0;
 * FILTER_NOT_BUILT; -EOPNOTSUPP: the kernel has no filters; or another -errno.
 */
int filter_enter(enum sandbox_process process);

/**
 * Makes the filter for workers, unless it exists already. Call it before the fork: then no worker
 * has to make the filter itself. Returns as filter_enter().
 */
int filter_prepare_worker(void);

/**
 * In a worker: does filter_prepare_worker(), and enters the filter. `watches` is the daemon's
 * descriptor of inotify(7), or -1. Afterwards the worker can't read from `watches`, nor from any
 * descriptor with a greater number. If `watches` is -1, the worker can read from all. Returns as
 * filter_enter().
 */
int filter_enter_worker(int watches);
