/*
 * The filter of system calls (seccomp(2)), by libseccomp. One that is not allowed fails with EPERM;
 * the process goes on, as a library that asks for something new must not end a mount.
 */
#pragma once

#include "sandbox.h"

/* Positive result: plyfs was built without libseccomp. */
#define FILTER_NOT_BUILT 1

/**
 * From now on, and for all threads, no call is possible that the process has no use for. The
 * helpers (helper.h) may be ended. Looks at no path. Returns 0, FILTER_NOT_BUILT, -EOPNOTSUPP where the
 * kernel has no filters, or another -errno.
 */
int filter_enter(enum sandbox_process process);

/**
 * Makes the filter of the workers that this process will fork; a build without libseccomp or a
 * kernel without filters needs none. Returns 0, FILTER_NOT_BUILT, -EOPNOTSUPP or another -errno.
 */
int filter_prepare_worker(void);

/** In a worker: enters that filter; does nothing if none was made. Returns 0 or -errno. */
int filter_enter_worker(void);
