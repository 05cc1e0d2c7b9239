/*
 * The filter of system calls (seccomp(2)), by libseccomp. A forbidden call fails with EPERM, and
 * the process goes on, as a library that tries a new call must not end a mount.
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
 * In a worker: enters the filter of filter_prepare_worker(), which is made now if it was not made
 * before the fork. `watches` is the daemon's descriptor of inotify(7): from then on the worker can
 * read only from descriptors with lower numbers; -1: from all. Returns as filter_enter().
 */
int filter_enter_worker(int watches);
