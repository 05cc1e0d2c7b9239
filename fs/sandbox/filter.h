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

/** Makes the filter for workers, unless it exists already. Returns as filter_enter(). */
int filter_prepare_worker(void);

/**
 * In a worker: enters the filter that was made before the fork, or now. `watches` is the daemon's
 * descriptor of inotify(7); -1: the worker has none. From then on the worker can't read from it,
 * nor from descriptors with higher numbers. Returns as filter_enter().
 */
int filter_enter_worker(int watches);
