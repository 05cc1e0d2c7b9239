/* The sandbox of a worker: the limit of what an exploited bug in a parser can do. */
#pragma once

#include "sandbox.h"
#include "settings.h"

/**
 * Loads the libraries that the settings need, makes the filter of system calls, and enters the
 * sandbox in a child, as a test. Call this before the mount is made, in the process that forks
 * workers: without this call workers have no sandbox. Returns 0 with *ret, the parts that will be
 * in force in each worker; PROBLEM: a part that the kernel offers can't be used; or -errno.
 */
int reader_sandbox_prepare(const struct settings *settings, const struct sandbox_switches *switches,
	struct sandbox_state *ret, struct problem *problem);

/**
 * Enters the sandbox, in a worker, for ever. The sandbox allows reading beneath the layers of
 * `settings`. `watches` is the daemon's descriptor of inotify(7); -1: none. Returns as
 * reader_sandbox_prepare().
 */
int reader_sandbox_enter(const struct settings *settings, int watches, struct sandbox_state *ret,
	struct problem *problem);
